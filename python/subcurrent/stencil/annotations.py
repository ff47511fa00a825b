# SPDX-License-Identifier: Apache-2.0
"""What a kernel's arguments are declared as; float, int and bool are parameters."""

from __future__ import annotations


class In:
    """A field that is read, at the cell or around it."""


class Out:
    """A field that is set at every cell; what it held before cannot be read."""


class InOut:
    """A field that is read and set at the cell; in a kernel with colours also read around it."""


class Index:
    """The global position of the cell: .x, .y, .z, whole numbers."""


class Layer:
    """In a condition: which layer of the halo is set, 1 beside the face."""
