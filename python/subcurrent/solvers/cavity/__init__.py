# SPDX-License-Identifier: Apache-2.0
"""Incompressible flow in a box."""
