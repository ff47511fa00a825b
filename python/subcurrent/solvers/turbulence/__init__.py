# SPDX-License-Identifier: Apache-2.0
"""Incompressible turbulence in a periodic box."""
