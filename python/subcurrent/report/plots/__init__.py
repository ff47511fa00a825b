# SPDX-License-Identifier: Apache-2.0
"""Figures that belong to no single solver, one module a figure, one look (`style`)."""
