# SPDX-License-Identifier: Apache-2.0
"""Reference of the machine files: every key, from the tables that check them."""

from __future__ import annotations

from subcurrent.case.keys import Table, fields, nested
from subcurrent.foresight.machine_keys import Machine, Rate

from .case_keys import HEAD, rows

INTRODUCTION = """\
# Keys of a machine file

For authors of machine files for `subcurrent predict` and `subcurrent job`: every key, its unit, what it
may be and what it is when it is left out. A figure that is missing or beyond its range is refused in one
sentence. Each figure of the files that `subcurrent machines` lists has its source beside it. Beside the
tables a file has `name` and, if it likes, `about`, which scripts and tables show. Where a stage has no rate,
it takes the longer of its declared bytes by `node.copy_bandwidth` and its declared operations by
`node.core_flops`.
"""


def page() -> str:
    parts = [INTRODUCTION]
    for name, field in fields(Machine).items():
        table = nested(field)
        if table is not None:
            parts.append(_section(f"[{name}]", table, name))
    parts.append(_section("[[rates.SOLVER.STAGE]]", Rate, "rates.SOLVER.STAGE"))
    return "\n".join(parts)


def _section(title: str, table: type[Table], prefix: str) -> str:
    says = " ".join((table.__doc__ or "").split())
    return f"## {title}\n\n{says}\n\n{HEAD}{''.join(rows(table, prefix, ()))}"
