# SPDX-License-Identifier: Apache-2.0
"""The gallery: every case, with a picture or a reason why not, and the command that makes it."""

import sys

import pytest

from conftest import ROOT
from subcurrent.case.library import shipped

sys.path.insert(0, str(ROOT / "tools"))
from handbook import PageError, gallery

CASES = [path.parent.name for path in gallery.readmes()]


def readme(case: str) -> str:
    return (ROOT / "cases" / case / "README.md").read_text()


def test_every_case_stands_in_the_gallery():
    text = gallery.gallery()
    assert {*shipped(), "heat_out_of_core"} == set(CASES)
    for name in CASES:
        assert f"({name}/README.md)**" in text
        assert f"    {gallery.command_of(name, readme(name))}\n" in text


@pytest.mark.parametrize("case", CASES)
def test_a_case_has_a_picture_or_a_reason_why_not(case):
    """The caption says what it shows, and the gallery shows it."""
    text = readme(case)
    picture = gallery.picture_of(text)
    reason = gallery.NO_PICTURE.search(text)
    assert bool(picture) != bool(reason), "a picture, or <!-- no picture: reason -->, and not both"
    if picture:
        assert len(picture[0]) > 10, "the caption stands below the picture in the gallery"


COMMANDS = {
    "cavity_paper_a": "subcurrent strategies cavity_paper_a -n 2",
    "cavity_paper_b": "subcurrent strategies cavity_paper_b -n 2",
    "cavity_re1000": "subcurrent run cavity_re1000 -n 2",
    "earth_north": "subcurrent run earth_north -n 2 --out runs/earth_north_quick "
    "--set grid.points=[90,30,30] --set grid.spacing=1 --set diffusion.density=4e-3 "
    "--set diffusion.pressure=4e-3 --set diffusion.viscosity=2e-6 --set diffusion.resistivity=2e-3",
    "forced_hit_128": "subcurrent run forced_hit_128 -n 2 --set grid.points=[64,64,64] "
    "--set flow.viscosity=0.011 --set scheme.dt=0.02",
    "heat_out_of_core": "bench/limited.py --memory 600 .venv/bin/python cases/heat_out_of_core/heat.py",
    "nickel_512": "subcurrent run nickel_512 --device cuda",
    "nickel_small": "subcurrent run nickel_small -n 2 --out runs/nickel_crystal "
    "--set grid.cells=[192,192,192] --set run.time=4.4e-8",
    "taylor_green_2d": "subcurrent run taylor_green_2d",
}


@pytest.mark.parametrize("case", COMMANDS)
def test_the_command_of_a_card_makes_what_the_card_shows(case):
    assert gallery.command_of(case, readme(case)) == COMMANDS[case]


def test_which_command_a_card_shows():
    own = "x\n\n    subcurrent run a --set b=1\n    subcurrent run a -n 2   # two\n"
    assert gallery.command_of("a", own) == "subcurrent run a -n 2"
    assert gallery.command_of("a", own.replace(" -n 2", " --out /tmp/b")) == "subcurrent run a"
    marked = f"{own}\n{gallery.MARK}\nText.\n\n<!-- not run: c -->\n"
    marked += "```sh\nsubcurrent run a \\\n    --set c=1 # d\n```\n"
    assert gallery.command_of("a", marked) == "subcurrent run a --set c=1"
    with pytest.raises(PageError, match=r"^the README of a has no command below <!-- gallery -->"):
        gallery.command_of("a", f"{own}\n{gallery.MARK}\nText.\n")
