# SPDX-License-Identifier: Apache-2.0
"""The tables of a dendrite case file and their keys."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict

from ...case.common import Triple
from ...case.keys import Table, key, setting
from ...case.tables import Cells, faces_of

KINDS = ("periodic", "insulated", "symmetry")
FACE = '"periodic", "insulated" or "symmetry"'
ROOM = 1.0 / 15.0  # from this anisotropy on some orientations of the surface are missing
BELOW_ROOM = "a number from 0 to below 1/15"
MODELS = ("kobayashi", "karma_rappel")


class Material(Table):
    name: str = setting("name that figures show", "nickel", max_length=80)
    surface_energy: float = setting("surface energy in J/m^2", 0.37, gt=0)
    kinetic: float = setting(
        "kinetic coefficient: speed of a front per kelvin of undercooling, in m/(K s)", 2.0, gt=0
    )
    melting: float = setting("melting point in K", 1728.0, gt=0)
    latent_heat: float = setting("latent heat in J/m^3", 2.35e9, gt=0)
    heat_capacity: float = setting("heat capacity in J/(m^3 K)", 5.42e6, gt=0)
    diffusivity: float = setting("thermal diffusivity in m^2/s", 1.55e-5, gt=0)
    anisotropy: float = key("strength of the surface energy's anisotropy", BELOW_ROOM, 0.05, ge=0, lt=ROOM)
    interface_width: float = setting("width of the diffuse interface in um", 0.08, gt=0)
    lamda: float = setting(
        "defines the width of the interface: phi changes from lambda to 1 - lambda across it",
        0.1,
        gt=0,
        lt=0.5,
        alias="lambda",
    )
    noise: float = setting("amplitude of the random noise at the interface", 0.025, ge=0, le=1)

    model_config = ConfigDict(populate_by_name=True)


class Model(Table):
    name: Literal[MODELS] = setting(
        "Kobayashi's model of a metal; or the thin-interface model of Karma and Rappel, without units: "
        "where a key says um, K or s, its number is then in the units of [model]",
        "kobayashi",
    )
    interface_width: float = setting(
        "W_0 of Karma and Rappel: phi changes as tanh(x / (sqrt(2) W_0))", 1.0, gt=0
    )
    relaxation_time: float = setting("tau_0 of Karma and Rappel", 1.0, gt=0)
    anisotropy: float = key(
        "epsilon_4 of Karma and Rappel: strength of the anisotropy of interface width and relaxation time",
        BELOW_ROOM,
        0.05,
        ge=0,
        lt=ROOM,
    )
    diffusivity: float = setting("D of Karma and Rappel: thermal diffusivity", 10.0, gt=0)
    coupling: float | None = setting(
        "lambda of Karma and Rappel, the coupling of temperature and phase; if left out: "
        "D tau_0 / (0.6267 W_0^2), with which a thin interface has no kinetic undercooling",
        None,
        gt=0,
    )


class Scheme(Table):
    divergence: Literal["second", "fourth"] = setting(
        "order of the finite differences of phi in the divergence of its flux; fourth reads two cells away, "
        "and its errors of speed and direction are smaller on the same grid",
        "second",
    )


class SeedTable(Table):
    centre: Triple | None = key(
        "centre of the crystal in um from the low corner of the domain; if left out: the "
        "middle of the domain",
        "three numbers",
        None,
    )
    radius: float = setting("radius of the crystal in um", 0.2, gt=0)
    axis: Triple = key("axis about which the crystal is rotated", "three numbers, not all 0", [0.0, 0.0, 1.0])
    angle: float = setting("angle of this rotation in degrees", 0.0, ge=-360, le=360)


class Start(Table):
    temperature: float = setting("initial temperature of crystals and melt in K", 1511.0, gt=0)
    undercooling: float = setting(
        "initial undercooling with Karma and Rappel, in units of latent heat / heat capacity", 0.3, gt=0
    )
    noise_seed: int = setting("seed of the random noise", 1, ge=0, le=2**62)
    precision: Literal["single", "double"] = setting("precision of the fields", "single")


class GridTable(Table):
    cells: Cells = key("cells along x, y, z", "three whole numbers from 1 to 100000")
    spacing: float = setting("side of a cubic cell in um", 0.02, gt=0)


Boundaries = faces_of(KINDS, FACE, "insulated")
