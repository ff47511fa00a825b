# SPDX-License-Identifier: Apache-2.0
"""The solvers, one folder each: `case` is its case file, `kind` what the program around a run has to know,
`figures` what its run folder is drawn into, `api` its Python class.

A solver that is run from case files is named here and nowhere else in the program.
"""

NAMES = ("cavity", "magnetosphere", "dendrite", "turbulence", "compressible", "wave")
