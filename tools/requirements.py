# SPDX-License-Identifier: Apache-2.0
"""Prints what the development environment needs; pyproject.toml is the one place where it is written down."""

import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())
print("\n".join(project["build-system"]["requires"]))
print("\n".join(project["project"]["dependencies"]))
for extra in ("dev", "docs"):
    print("\n".join(project["project"]["optional-dependencies"][extra]))
