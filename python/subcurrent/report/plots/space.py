# SPDX-License-Identifier: Apache-2.0
"""Where pictures in space are drawn: off screen, by PyVista (optional)."""

from __future__ import annotations

from typing import Any

import pyvista as pv
from vtkmodules.vtkCommonCore import vtkLogger


def off_screen(**options: Any) -> pv.Plotter:
    """A plotter without a window. Without a display VTK falls back to EGL, and would warn of it."""
    vtkLogger.SetStderrVerbosity(vtkLogger.VERBOSITY_ERROR)
    return pv.Plotter(off_screen=True, **options)
