# SPDX-License-Identifier: Apache-2.0
"""The times of a run in words: None means not measured, never 0; no time is negative."""

from __future__ import annotations

from typing import Any

from ..case.strategies import WITHOUT_OVERLAP

NOT_MEASURED = "not measured"


def account_of(terms: dict[str, Any], strategy: str) -> dict[str, Any]:
    """The times that a solver reports, without those that mean nothing under its strategy.

    M is 0 if no stage ran under `ordered`: if there was waiting, or bytes were moved, that is not a
    measurement. `blocking` computes all cells at once and does not separate the shell; without overlap
    nothing is hidden, however short the waiting was compared with posting the messages.
    """
    told = dict(terms)
    if "automatic" in told:
        told["automatic"] = told["automatic"] | {"gained": gained(told["automatic"]["stages"])}
    strategy = in_the_end(terms, strategy)
    if told.get("M") == 0 and (told.get("W") or told.get("bytes_moved")):
        told["M"] = told["hidden"] = None
    if strategy == "blocking":
        told["C_shell"] = None
    if strategy in WITHOUT_OVERLAP:
        told["hidden"] = 0.0
    return told


def in_the_end(terms: dict[str, Any], strategy: str) -> str:
    """`blocking` if the automatic strategy has chosen nothing else, or if nothing could be hidden."""
    if strategy != "automatic" or "automatic" not in terms:
        return strategy
    stages = terms["automatic"]["stages"]
    beside = {"files", "link"} & set(terms.get("movements") or ())
    left = stages or not beside
    return "blocking" if left and all(s["strategy"] == "blocking" for s in stages) else strategy


def gained(stages: list[dict[str, Any]]) -> float | None:
    """How many times longer stages with halos would have taken under `blocking`, from their trials; None if
    no trial was completed."""
    known = [s for s in stages if s["seconds"] and s["seconds_blocking"]]
    chosen = sum(s["runs"] * s["seconds"] for s in known)
    return sum(s["runs"] * s["seconds_blocking"] for s in known) / chosen if chosen else None


def choice(automatic: dict[str, Any] | None) -> str | None:
    """The choice and the gain of the automatic strategy, in one line; None under another strategy."""
    if automatic is None:
        return None
    stages = automatic["stages"]
    if not stages:
        return "no data is sent between ranks, so no strategy was tried"
    if automatic["gained"] is None:
        tried = automatic["steps_tried"]
        when = f"{tried} steps into the trials" if tried else "before the first trial"
        return f"the run ended {when} of strategies, too early to compare them"
    names = list(dict.fromkeys(s["strategy"] for s in stages))
    of = {name: [s["stage"] for s in stages if s["strategy"] == name] for name in names}
    chosen = names[0] if len(names) == 1 else ", ".join(f"{name} for {_some(of[name])}" for name in names)
    return (
        f"{chosen}: stages with halos are {automatic['gained']:.2f} times as fast as under "
        f"blocking ({automatic['steps_tried']} steps of trials)"
    )


def passes(terms: dict[str, Any]) -> str | None:
    """Number of steps in passes, and why; if messages take longer than computing, what would help, since
    passes send the same bytes. None without passes of several steps."""
    text, messages = terms.get("passes"), terms.get("M")
    if text is not None and "plan_of_passes" in terms:
        text += f"; {terms['plan_of_passes']}"
    computing = (terms.get("C_core") or 0) + (terms.get("C_shell") or 0)
    if text is None or not messages or not computing or messages <= computing:
        return text
    ratio = messages / computing
    times = f"{ratio:.2g}" if ratio < 10 else f"{ratio:.0f}"
    return (
        f"{text}; messages take {times} times as long as computing, and passes send the same bytes: "
        f"blocks {times} times as thick (fewer hosts, or more cells) would hide them"
    )


def _some(names: list[str]) -> str:
    return ", ".join(names) if len(names) <= 2 else f"{len(names)} kinds of stages"


def overlap_case(terms: dict[str, Any], strategy: str) -> str | None:
    """Whether the core took longer than the messages, or less; None if unknown."""
    core, messages = terms.get("C_core"), terms.get("M")
    if not core or not messages:
        return None
    what, formula = (
        ("communication", "T_m = C + W + R") if core >= messages else ("computation", "T_p = C_shell + M + R")
    )
    strategy = in_the_end(terms, strategy)
    if strategy in WITHOUT_OVERLAP:
        return f"nothing hidden by {strategy}; {what} could be: {formula}"
    return f"{what} hidden: {formula}"


def seconds(value: float | None) -> str:
    return NOT_MEASURED if value is None else f"{value:.4g} s"


def share(value: float | None) -> str:
    return NOT_MEASURED if value is None else f"{100 * value:.1f} %"


def hidden_share(terms: dict[str, Any]) -> str:
    return "nothing moves" if terms.get("M") == 0 else share(terms.get("hidden"))


def milliseconds(value: float | None) -> str:
    """A time in milliseconds. A negative difference of two measured times is within the scatter of such
    times, and is shown as that."""
    if value is None:
        return NOT_MEASURED
    return f"{1e3 * value:.3g}" if value >= 0 else "below noise"
