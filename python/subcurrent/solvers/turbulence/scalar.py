# SPDX-License-Identifier: Apache-2.0
"""The table [scalar] of the turbulence solver: dθ/dt + u · ∇θ + G · u = κ ∇²θ."""

from __future__ import annotations

from typing import Any, Literal

from ...case.common import Triple
from ...case.keys import Table, key, setting, shown
from ...errors import BadInput
from .spectra import shells_of


class Scalar(Table):
    schmidt: float | None = setting(
        "Schmidt number (of heat: Prandtl number): viscosity / diffusivity", None, gt=0
    )
    diffusivity: float | None = setting("diffusivity of the scalar, instead of scalar.schmidt", None, ge=0)
    gradient: Triple = key(
        "mean gradient along x, y, z; the scalar is what differs from this mean",
        "three numbers",
        [0.0, 0.0, 0.0],
    )
    initial: Literal["zero", "random", "file"] = setting(
        "initial scalar: zero, a random field, or that of the run, snapshot or checkpoint of flow.initial",
        "zero",
    )
    peak: float = setting(
        "wavenumber k0 of the spectrum k^4 exp(-2 (k / k0)^2) of a random scalar", 4.0, gt=0
    )
    variance: float = setting("variance of a random scalar: its mean square", 1.0, gt=0)
    seed: int = setting("seed of a random scalar", 1, ge=0, le=2**62)

    def diffusivity_of(self, viscosity: float) -> float:
        return self.diffusivity if self.schmidt is None else viscosity / self.schmidt

    def options(self, viscosity: float, kept: int) -> dict[str, Any]:
        """Those of the compiled solver, and how the scalar starts: the variance of each shell."""
        random = self.initial == "random"
        return {
            "diffusivity": self.diffusivity_of(viscosity),
            "gradient": self.gradient,
            "initial": self.initial,
            "spectrum": shells_of("peaked", self.peak, self.variance, kept, "scalar") if random else [],
            "seed": self.seed,
        }


def check_scalar(scalar: Scalar, viscosity: float, known_start: bool) -> None:
    """Raises BadInput with one sentence; `known_start`: flow.initial names no file."""
    if scalar.schmidt is None and scalar.diffusivity is None:
        raise BadInput("scalar has no diffusivity: give one of scalar.schmidt or scalar.diffusivity.")
    if scalar.schmidt is not None and viscosity == 0:
        raise BadInput(
            f"scalar.schmidt = {scalar.schmidt:g} needs a flow.viscosity greater than 0: "
            "give scalar.diffusivity instead."
        )
    if scalar.initial == "file" and known_start:
        raise BadInput(
            'scalar.initial = "file" needs the path of a run, snapshot or checkpoint as flow.initial.'
        )
    if scalar.initial == "zero" and not any(scalar.gradient):
        raise BadInput(
            f"scalar.gradient = {shown(scalar.gradient)} leaves a scalar zero that starts from "
            'scalar.initial = "zero": give a gradient, or another start.'
        )
