# SPDX-License-Identifier: Apache-2.0
"""Puts the FAKE compiled module into processes that a test starts with this folder on PYTHONPATH; never
shipped."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import fake_core

sys.modules["subcurrent._core"] = fake_core
