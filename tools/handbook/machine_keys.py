# SPDX-License-Identifier: Apache-2.0
"""Reference of the machine files: every key, from the tables that check them."""

from __future__ import annotations

from subcurrent.case.keys import Table, fields, nested
from subcurrent.foresight.machine_keys import Copies, Machine, Rate

from .case_keys import HEAD, rows

INTRODUCTION = """\
# Keys of a machine file

For authors of machine files for `subcurrent predict` and `subcurrent job`: every key, its unit, its allowed
values and its default. If a value is missing or out of range, the file is refused with an error message of
one sentence. In the files that `subcurrent machines` lists, each number has its source beside it. Besides the
tables below, a file has two keys: `name`, shown in tables and scripts, and optionally `about`, a sentence
that `subcurrent machines` prints. If a stage has no measured rate, its time is estimated as the longer of
two: its declared bytes at the memory bandwidth (`node.copy_bandwidth`, shared by the busy cores, or
`[[node.copies]]` where the arrays of a rank fit into caches), or its declared operations at
`node.core_flops`; on a device, at `gpu.bandwidth` and `gpu.flops`.
"""


def page() -> str:
    parts = [INTRODUCTION]
    for name, field in fields(Machine).items():
        table = nested(field)
        if table is not None:
            parts.append(_section(f"[{name}]", table, name))
        if name == "node":
            parts.append(_section("[[node.copies]]", Copies, "node.copies"))
    parts.append(_section("[[rates.SOLVER.STAGE]]", Rate, "rates.SOLVER.STAGE"))
    return "\n".join(parts)


def _section(title: str, table: type[Table], prefix: str) -> str:
    says = " ".join((table.__doc__ or "").split())
    return f"## {title}\n\n{says}\n\n{HEAD}{''.join(rows(table, prefix, ()))}"
