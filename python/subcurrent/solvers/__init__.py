# SPDX-License-Identifier: Apache-2.0
"""The solvers, one folder each: `case` is its case file, `kind` what the rest of the program needs to know
about it, `figures` the figures of its run folder, `api` its Python class.

A solver that runs from case files is named here and nowhere else in the program.
"""

NAMES = ("cavity", "magnetosphere", "dendrite", "turbulence", "compressible", "wave")
