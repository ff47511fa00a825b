# SPDX-License-Identifier: Apache-2.0
"""What a kernel's arguments are declared as; float, int and bool are parameters."""

from __future__ import annotations


class In:
    """A field that is read, at the cell itself or at its neighbours."""


class Out:
    """A field that is set at every cell; its old values cannot be read."""


class InOut:
    """A field that is read and set at the cell; in a kernel with colours its neighbours are read too."""


class Index:
    """The global position of the cell: .x, .y, .z, whole numbers."""


class Layer:
    """In a condition: the halo layer that is set, counted from 1 at the face."""
