# SPDX-License-Identifier: Apache-2.0
"""The number of steps in a pass (temporal blocking) of a case, and whether several are possible."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from .. import core
from ..errors import BadInput
from .keys import shown

RANKS_ALONG = 6  # along an axis, which halos leave room for where the split is not given
FEW_CELLS = 300_000  # of which halos take no memory worth a word
MOST_GROWN = 1.5  # of the memory of others, with halos for long passes


class PassLength:
    """For a case with a table [engine]."""

    # Why [engine] steps_per_pass must be 1; empty where it may be more.
    single_steps: ClassVar[str] = ""
    # How far a step reads, where it may be more.
    reach: ClassVar[int] = 1

    def check_passes(self) -> None:
        asked = self.engine.steps_per_pass
        if asked != 1 and self.single_steps:
            raise BadInput(
                f"engine.steps_per_pass = {shown(asked)} is not supported by this solver: "
                f"{self.single_steps}."
            )

    def pass_length(self) -> int:
        """Largest number of steps in a pass: halos, and slots of fields in files, are made for it."""
        asked = self.engine.steps_per_pass
        if asked != "automatic":
            return asked
        length = core.most_steps_tried()
        while length > 1 and not self.may_try(length):
            length //= 2
        return length

    def passes_in_words(self) -> str:
        """The value of the key."""
        asked = self.engine.steps_per_pass
        return f'"automatic" (at most {self.pass_length()})' if asked == "automatic" else str(asked)

    def plan_of_passes(self, cost: dict[str, Any], needed: tuple[int, int]) -> str:
        """What a pass in memory moves on a rank beside single steps, as `pass_cost` of the compiled solver
        tells it, and the bytes of all ranks with the halos of both."""

        def pair(name: str, factor: float = 1e-6) -> list[str]:
            return [format(factor * one, ".3g") for one in cost[name]]

        (read, reads), (written, writes), (sent, sends) = map(pair, ("read", "written", "sent"))
        messages, each = pair("messages", 1)
        most = "up to " if self.engine.steps_per_pass == "automatic" else ""
        sentence = (
            f"passes of {most}{cost['steps']} steps: in a step a rank reads {read} MB and writes {written} "
            f"MB of memory instead of {reads} MB and {writes} MB"
        )
        if cost["sent"][1] > 0:
            sentence += f", sends {sent} MB in {messages} messages instead of {sends} MB in {each}"
        sentence += (
            f", and computes {100 * cost['more']:.0f} % more cells; all ranks need "
            f"{needed[0] / 2**20:.0f} MiB instead of {needed[1] / 2**20:.0f} MiB"
        )
        if (rate := cost["memory_rate"]) > 0:
            least, alone = (
                format(1e3 * (of_read + of_written) / rate, ".2g")
                for of_read, of_written in zip(cost["read"], cost["written"], strict=True)
            )
            sentence += (
                f"; at the speed of the memory, now {1e-9 * rate:.3g} GB/s, a step takes at least {least} ms "
                f"instead of {alone} ms"
            )
        return sentence

    def may_try(self, length: int) -> bool:
        """Whether automatic passes may be so long: blocks must be thick enough, and halos small compared with
        them."""
        cells, split, layers = self.cells(), self.engine.split, length * self.reach
        parts = (1, 1, 1) if split == "auto" else split
        blocks = [n // p for n, p in zip(cells, parts, strict=True)]
        if layers * (RANKS_ALONG if split == "auto" else 1) > min(blocks):
            return False
        grown = math.prod((n + 2 * layers) / (n + 2 * self.reach) for n in blocks)
        return math.prod(blocks) <= FEW_CELLS or grown <= MOST_GROWN

    def one_length(self, what: str) -> int:
        """The same for `what`, which needs a fixed number. Raises BadInput if it is found during a run."""
        if self.engine.steps_per_pass == "automatic":
            raise BadInput(
                f'engine.steps_per_pass = "automatic" is found during a run, but {what} needs a fixed '
                "number: give --set engine.steps_per_pass=1, or more."
            )
        return self.pass_length()
