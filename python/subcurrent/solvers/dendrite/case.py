# SPDX-License-Identifier: Apache-2.0
"""The case file of the dendrite solver: crystals that grow in the undercooled melt of a pure metal."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Literal

from ...case.common import Needs, SolverCase, check_pairs, check_round
from ...case.engine import DEVICES
from ...case.keys import fields, key, setting, shown
from ...case.splits import chosen_split
from ...case.storage import IN_PIECES, PLACES, Storage, check_storage
from ...case.tables import ExplicitRun
from ...errors import BadInput
from .tables import Boundaries, GridTable, Material, Model, Scheme, SeedTable, Start
from .units import METRIC, NONE, Units

MICRO = 1e-6
MOST_IN_MEMORY = 4  # steps a pass that are tried where a memory is given: longer ones need thick pieces
PLANES_AT_A_WALL = 4  # of a piece, beside those that the steps of a pass lag behind
# Of a cell, by which rounding may move a seed beyond a high face; as in solvers/dendrite/model.hpp.
SLACK = 1e-9
VANISHING_KINETICS = 0.6267  # as in solvers/dendrite/options.hpp
FOURTH = 'scheme.divergence = "fourth"'
KARMA_RAPPEL = (*(f"model.{name}" for name in Model.model_fields if name != "name"), "start.undercooling")


class DendriteCase(SolverCase):
    """A dendrite case file, complete: what is not given has its default, cross-checks have passed."""

    needs: ClassVar = (
        *SolverCase.needs,
        *(Needs(name, "model.name", ("kobayashi",)) for name in ("start.temperature", "start.noise_seed")),
        *(Needs(name, "model.name", ("karma_rappel",)) for name in KARMA_RAPPEL),
        Needs("start.noise_seed", "material.noise", but=(0,)),
    )
    fixed_on_resume: ClassVar = (
        *("solver", "model", "grid", "boundaries"),
        *("material", "scheme", "start", "seeds"),
    )
    own_step: ClassVar = ("safety", 0.9)
    devices: ClassVar = DEVICES

    solver: Literal["dendrite"] = setting("the solver", "dendrite")
    model: Model = setting("the phase-field model", Model())
    material: Material = setting("the properties of the metal", Material())
    scheme: Scheme = setting("the discretisation", Scheme())
    grid: GridTable = setting("the grid")
    boundaries: Boundaries = setting("the boundary conditions", Boundaries())
    start: Start = setting("the initial state", Start())
    seeds: list[SeedTable] = key("the crystals at the start", "tables [[seeds]], at least one", [SeedTable()])
    storage: Storage = setting("where the fields are stored", Storage())
    run: ExplicitRun = setting("end of the run and time step")

    def completed(self) -> DendriteCase:
        seeds = [seed.model_copy(update={"centre": self._centre(seed)}) for seed in self.seeds]
        return super().completed().model_copy(update={"seeds": seeds})

    def _centre(self, seed: SeedTable) -> list[float]:
        return seed.centre or [0.5 * count * self.grid.spacing for count in self.grid.cells]

    def budget(self) -> int | None:
        on_host = self.engine.device == "cpu"  # otherwise it is the device's
        return (self.storage.bytes() or None) if on_host else None

    def check(self) -> None:
        super().check()
        self._check_model()
        self._check_seeds()
        self._check_faces()
        check_storage(self.storage, self.engine, PLACES)
        length = self.engine.steps_per_pass
        if isinstance(length, int):
            needs = [f"engine.steps_per_pass = {length}"] if length > 1 or self.reach == 1 else []
            needs += [FOURTH] if self.reach > 1 else []
            faces, halo = self.boundaries.faces(), self.halo()
            check_round("grid.cells", self.grid.cells, faces, halo, " with ".join(needs))
        self._check_pieces(self.grid.cells[2])

    def is_metal(self) -> bool:
        """Whether numbers have SI units: with Kobayashi's model."""
        return self.model.name == "kobayashi"

    def undercooling(self) -> float:
        """In K, or in units of latent heat / heat capacity."""
        return self.material.melting - self.start.temperature if self.is_metal() else self.start.undercooling

    def melting(self) -> float:
        """The temperature at which fields are 0."""
        return self.material.melting if self.is_metal() else 0.0

    def coupling(self) -> float:
        """lambda of Karma and Rappel."""
        m = self.model
        return m.coupling or m.diffusivity * m.relaxation_time / (VANISHING_KINETICS * m.interface_width**2)

    def shown_in(self) -> Units:
        return METRIC if self.is_metal() else NONE

    def _check_model(self) -> None:
        if not self.is_metal():
            for name, field in fields(Material).items():
                given = getattr(self.material, "lamda" if name == "lambda" else name)
                if given != field.default:
                    raise BadInput(
                        f"material.{name} = {shown(given)} has no effect with model.name = "
                        f'"{self.model.name}": it needs model.name = "kobayashi".'
                    )
            width = self.model.interface_width
            for number, seed in enumerate(self.seeds):
                if seed.radius < width:
                    raise BadInput(
                        f"seeds[{number}].radius = {seed.radius:g} is not allowed: with model.name = "
                        f'"{self.model.name}" it must be at least model.interface_width = {width:g}, or the '
                        "crystal melts."
                    )
        elif self.start.temperature >= self.material.melting:
            raise BadInput(
                f"start.temperature = {self.start.temperature:g} is not allowed: it must be below "
                f"material.melting = {self.material.melting:g}, or the crystals melt."
            )

    def _check_pieces(self, block: int) -> None:
        """Of a block of so many planes; see solvers/dendrite/budget.cpp."""
        length, storage = self.pass_length(), self.storage
        if length == self.reach == 1 or storage.place not in IN_PIECES or storage.memory is not None:
            return
        pieces, least = storage.options()["pieces"], self._least_planes(length)
        planes = block // pieces
        if pieces > 1 and planes < least:
            why = f"engine.steps_per_pass = {self.passes_in_words()}" if length > 1 else FOURTH
            raise BadInput(
                f"{why} needs pieces of at least {least} planes, but storage.pieces = {pieces} gives "
                f"{planes} of a rank's {block} planes."
            )

    def _least_planes(self, length: int) -> int:
        """Of a piece."""
        if length == 1:
            return self.reach
        return self.reach * length + PLANES_AT_A_WALL

    def may_try(self, length: int) -> bool:
        storage = self.storage
        if storage.memory is not None and length > MOST_IN_MEMORY:
            return False
        if storage.place == "files" and storage.memory is None:
            split, pieces = self.engine.split, storage.options()["pieces"]
            planes = self.grid.cells[2] // (1 if split == "auto" else split[2]) // pieces
            if pieces > 1 and planes < self._least_planes(length):
                return False
        return super().may_try(length)

    def _check_seeds(self) -> None:
        if not self.seeds:
            raise BadInput("seeds = [] is not allowed: at least one crystal is needed.")
        for number, seed in enumerate(self.seeds):
            for axis, place, count in zip("xyz", self._centre(seed), self.grid.cells, strict=True):
                side = count * self.grid.spacing
                if not 0 <= place <= side + SLACK * self.grid.spacing:
                    raise BadInput(
                        f"seeds[{number}].centre = {seed.centre} is not allowed: along {axis} it must lie "
                        f"between 0 and {side:g}{' um' if self.is_metal() else ''}."
                    )
            if not seed.angle and seed.axis != SeedTable.model_fields["axis"].default:
                raise BadInput(
                    f"seeds[{number}].axis = {seed.axis} has no effect with seeds[{number}].angle = 0: leave "
                    "one of them out."
                )
            if seed.angle and not any(seed.axis):
                raise BadInput(f"seeds[{number}].axis = {seed.axis} is not allowed: it must not be all 0.")

    def _check_faces(self) -> None:
        faces = self.boundaries.faces()
        check_pairs(faces)
        mirrors = [name for name, kind in faces.items() if kind == "symmetry"]
        if mirrors and any(seed.angle for seed in self.seeds):
            raise BadInput(
                f'boundaries."{mirrors[0]}" = "symmetry" is not allowed with a seed whose angle is not '
                "0: a rotated crystal is not symmetric there."
            )

    def check_ranks(self, ranks: int) -> None:
        super().check_ranks(ranks)
        split = chosen_split(self.cells(), self.engine.split, ranks, self.halo())
        self._check_pieces(self.grid.cells[2] // split[2])

    def notes(self) -> list[str]:
        """What the program says at the start: the undercooling in K, and in units of L / C."""
        m, undercooling = self.material, self.undercooling()
        share = undercooling * m.heat_capacity / m.latent_heat
        sides = " x ".join(f"{count * self.grid.spacing:g}" for count in self.grid.cells)
        note = f"{m.name}, {sides} um, undercooled by {undercooling:g} K ({share:.3f} L/C)"
        if not self.is_metal():
            numbers = f"W_0 = {self.model.interface_width:g}, lambda = {self.coupling():.6g}"
            note = f"Karma and Rappel, {sides} with {numbers}, undercooled by {undercooling:g} L/C"
        return [note, *super().notes()]

    @property
    def reach(self) -> int:
        """Cells along each axis that a step reads."""
        return 2 if self.scheme.divergence == "fourth" else 1

    def mirrored(self) -> tuple[bool, bool, bool]:
        """Along which axes the domain begins at a plane of symmetry, so that pictures can be completed."""
        faces = self.boundaries.faces()
        return tuple(faces[axis + "-"] == "symmetry" for axis in "xyz")

    def options(self) -> dict[str, Any]:
        """In SI units where the model has units."""
        unit = MICRO if self.is_metal() else 1.0
        return super().options() | {
            "spacing": unit * self.grid.spacing,
            **self._model_options(),
            "divergence": self.scheme.divergence,
            "seeds": [
                {
                    "centre": [unit * place for place in self._centre(seed)],
                    "radius": unit * seed.radius,
                    "axis": seed.axis,
                    "angle": math.radians(seed.angle),
                }
                for seed in self.seeds
            ],
            "noise_seed": self.start.noise_seed,
        }

    def _model_options(self) -> dict[str, Any]:
        if not self.is_metal():
            model = self.model.model_dump(exclude={"name"}) | {"coupling": self.coupling()}
            return {"karma_rappel": model, "temperature": -self.start.undercooling}
        material = self.material.model_dump(by_alias=True, exclude={"name"})
        material["interface_width"] *= MICRO
        return {"material": material, "temperature": self.start.temperature}


CASE = DendriteCase
