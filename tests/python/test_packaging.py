# SPDX-License-Identifier: Apache-2.0
"""What stands in several places about the package agrees: version, licence, options, commands."""

import re
import sys
import tomllib
import types

import pytest

from conftest import ROOT

yaml = pytest.importorskip("yaml", reason="PyYAML comes with MkDocs: tools/bootstrap --python installs it")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
RECIPE = ROOT / "packaging/spack/packages/subcurrent/package.py"


def test_one_version_everywhere():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    in_cmake = re.search(r"project\(subcurrent VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())
    assert str(citation["version"]) == PROJECT["version"] == in_cmake[1]
    assert citation["license"] == PROJECT["license"]
    newest = re.search(r"^## \[([\d.]+)\] - (\S+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest.groups() == (PROJECT["version"], str(citation["date-released"]))
    assert {words[0] for words, _ in Recipe().said["version"]} == {"main"}  # until a release has a tag
    minor = PROJECT["version"].rpartition(".")[0]
    for page in (ROOT / "README.md", *ROOT.glob("docs/**/*.md")):
        asked = set(re.findall(r"find_package\(subcurrent(?:_halo)? ([\d.]+)", page.read_text()))
        assert asked <= {minor}, page


def test_the_wheel_that_is_documented_is_the_one_that_is_tried():
    """The page's two commands after the one that builds the wheel, and the case that tools/try-wheel runs."""
    page, trial = (ROOT / "docs/install.md").read_text(), (ROOT / "tools/try-wheel").read_text()
    install, run = re.search(r"tools/make-wheel dist\n(pip install .*)\n(subcurrent run .*)", page).groups()
    assert f"dist/subcurrent-{PROJECT['version']}-cp" in install
    assert run == "subcurrent run sound_wave -n 2"
    assert run in trial


def test_the_citation_has_what_the_format_asks_for():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["cff-version"] == "1.2.0"
    assert citation["message"]
    assert PROJECT["description"].lower() in citation["title"].lower()
    assert all(author.get("name") for author in citation["authors"])


class Recipe:
    """What Spack's recipe says, read with stand-ins for Spack's directives."""

    def __init__(self):
        self.said: dict[str, list] = {}
        spack, package = types.ModuleType("spack"), types.ModuleType("spack.package")
        for name in ("license", "version", "variant", "depends_on", "conflicts"):
            setattr(package, name, self._directive(name))
        package.CMakePackage = type(
            "CMakePackage",
            (),
            {
                "define": lambda _, option, value: (option, value),
                "define_from_variant": lambda _, option, variant: (option, variant),
            },
        )
        package.__all__ = [name for name in vars(package) if not name.startswith("_")]
        before = {name: sys.modules.get(name) for name in ("spack", "spack.package")}
        sys.modules.update({"spack": spack, "spack.package": package})
        try:
            scope = {"__file__": str(RECIPE), "__name__": "recipe"}
            exec(compile(RECIPE.read_text(), RECIPE, "exec"), scope)
        finally:
            for name, module in before.items():
                sys.modules.pop(name) if module is None else sys.modules.update({name: module})
        self.package = scope["Subcurrent"]

    def _directive(self, name):
        def called(*words, **options):
            self.said.setdefault(name, []).append((words, options))

        return called


SOURCES_OF_OPTIONS = ("CMakeLists.txt", "engine/CMakeLists.txt", "spectral/CMakeLists.txt")


def test_the_recipe_sets_options_that_there_are():
    recipe = Recipe()
    texts = [(ROOT / name).read_text() for name in SOURCES_OF_OPTIONS]
    options = set(re.findall(r"option\((SUBCURRENT_\w+)", "".join(texts)))
    set_there = dict(recipe.package().cmake_args())
    assert set(set_there) <= options
    variants = {words[0] for words, _ in recipe.said["variant"]}
    assert {value for value in set_there.values() if isinstance(value, str)} <= variants
    whens = {options["when"].lstrip("+") for _, options in recipe.said["depends_on"] if "when" in options}
    assert whens <= variants
    assert recipe.package.git == ROOT.as_uri()


def test_the_recipe_asks_for_what_the_build_asks_for():
    needs = {words[0] for words, _ in Recipe().said["depends_on"]}
    oldest = re.search(r"cmake_minimum_required\(VERSION ([\d.]+)\)", (ROOT / "CMakeLists.txt").read_text())
    assert f"cmake@{oldest[1]}:" in needs
    assert {"mpi@3:", "hdf5@1.10: +mpi", "c", "cxx"} <= needs


def test_the_container_runs_commands_that_there_are():
    lines = (ROOT / "Containerfile").read_text().replace("\\\n", " ").split("\n")
    steps = [line for line in lines if line and not line.startswith("#")]
    assert steps[0] == "FROM debian:12"
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    used = re.findall(r'\bmake"?,? "?([a-z]+)', "\n".join(steps))
    assert used == ["bootstrap", "demo"]
    assert set(used) <= targets
