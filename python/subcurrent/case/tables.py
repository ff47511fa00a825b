# SPDX-License-Identifier: Apache-2.0
"""Tables and values that the case files of several solvers have."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, create_model

from .keys import Table, key, setting

Cells = Annotated[list[Annotated[int, Field(ge=1, le=100_000)]], Field(min_length=3, max_length=3)]


class Faces(Table):
    """The six faces of a box; see `faces_of`."""

    model_config = ConfigDict(populate_by_name=True)

    def periodic(self) -> tuple[bool, bool, bool]:
        """Which axes are."""
        x, y, z = (self.faces()[axis + "-"] == "periodic" for axis in "xyz")
        return x, y, z

    def faces(self) -> dict[str, str]:
        """The six faces under the names of the case file, in the order x-, x+, y-, y+, z-, z+."""
        return {field.alias: getattr(self, name) for name, field in type(self).model_fields.items()}

    def options(self) -> dict[str, Any]:
        """What the compiled solver takes."""
        return self.faces()


def faces_of(kinds: tuple[str, ...], allowed: str, default: str) -> type[Faces]:
    """The table [boundaries] of a solver whose faces are of these kinds."""
    keys: dict[str, Any] = {
        f"{axis}_{word}": (
            Literal[kinds],
            key(
                f"boundary condition on the {side} face along {axis}", allowed, default, alias=f"{axis}{sign}"
            ),
        )
        for axis in "xyz"
        for word, side, sign in (("minus", "low", "-"), ("plus", "high", "+"))
    }
    return create_model("Boundaries", __base__=Faces, **keys)


class ExplicitRun(Table):
    """[run] of an explicit scheme: when to stop, and a time step below the largest stable one."""

    steps: int | None = setting("run to this step", None, ge=1)
    time: float | None = setting("run to this time in s", None, gt=0)
    safety: float | None = setting(
        "time step as a fraction of the largest stable one; if run.dt is left out too, the "
        "solver's own fraction",
        None,
        gt=0,
        le=1,
    )
    dt: float | None = setting("fixed time step in s, instead of run.safety", None, gt=0)
