# SPDX-License-Identifier: Apache-2.0
"""What the type and the limits of a key say about its allowed values, in words."""

from __future__ import annotations

from typing import Literal

import pytest
from pydantic import ValidationError

from subcurrent.case.keys import Table, allowed, setting
from subcurrent.case.sentences import sentence


class Inner(Table):
    size: int = setting("a size", ge=1, le=9)


class Outer(Table):
    inner: Inner = setting("a table")
    any_number: float = setting("a number", 0.0)
    above: float = setting("a number", 1.0, gt=0)
    least: int | None = setting("a number", None, ge=1)
    most_of_all: int = setting("a number", 0, ge=0, le=2**62)
    below: float = setting("a number", -1.0, lt=0)
    within: int = setting("a number", 1, ge=1, le=1000)
    half_open: float = setting("a number", 0.0, ge=0, lt=0.3)
    above_to: float = setting("a number", 1.0, gt=0, le=1.2)
    between: float = setting("a number", 0.1, gt=0, lt=0.5)
    truth: bool = setting("a truth", False)
    text: str = setting("a text", "", max_length=80)
    one: Literal["one"] = setting("a word", "one")
    three: Literal["a", "b", "c"] | None = setting("a word", None)
    seven: Literal["a", "b", "c", "d", "e", "f", "g"] = setting("a word", "a")


WORDS = {
    "any_number": "a number",
    "above": "a number greater than 0",
    "least": "a whole number >= 1",
    "most_of_all": "a whole number >= 0",
    "below": "a number below 0",
    "within": "a whole number from 1 to 1000",
    "half_open": "a number from 0 to below 0.3",
    "above_to": "a number greater than 0 and at most 1.2",
    "between": "a number between 0 and 0.5",
    "truth": "true or false",
    "text": "text of up to 80 characters",
    "one": '"one"',
    "three": '"a", "b" or "c"',
    "seven": 'one of "a", "b", "c", "d", "e", "f", "g"',
}


@pytest.mark.parametrize(("name", "words"), WORDS.items())
def test_type_and_limits_say_what_is_allowed(name: str, words: str) -> None:
    assert allowed(Outer.model_fields[name]) == words


def test_tables_are_named_in_sentences() -> None:
    for tables, said in (
        ({}, "inner is missing: it must be a table [inner]."),
        ({"inner": {"size": 0}}, "inner.size = 0 is not allowed: it must be a whole number from 1 to 9."),
    ):
        with pytest.raises(ValidationError) as refused:
            Outer(**tables)
        assert sentence(Outer, refused.value.errors()[0]) == said
