# SPDX-License-Identifier: Apache-2.0
"""The engine's strategies by name; `tools/strategies` writes the lists from the table of the engine."""

from __future__ import annotations

from ..errors import BadInput

STRATEGIES = (
    "blocking", "ordered", "boundary_first", "interior_first", "pipelined", "halo_thread", "automatic",
)  # fmt: skip
WITHOUT_OVERLAP = ("blocking", "ordered")
ONE_ORDER_IN_PASSES = ("interior_first", "pipelined", "halo_thread")  # that of boundary_first


def order_in_passes(strategy: str) -> str:
    """The strategy with the same order in passes of several steps."""
    if strategy in WITHOUT_OVERLAP:
        return WITHOUT_OVERLAP[0]
    return "boundary_first" if strategy in ONE_ORDER_IN_PASSES else strategy


def check_strategies(given: list[str]) -> None:
    """Raises BadInput for names after `--strategies` that are not known."""
    for name in given:
        if name not in STRATEGIES:
            raise BadInput(f"--strategies {name!r} is not known: allowed is {', '.join(STRATEGIES)}.")
