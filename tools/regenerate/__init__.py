# SPDX-License-Identifier: Apache-2.0
"""How each table and picture of the documents is made; `tools/figures.py` is the command."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
