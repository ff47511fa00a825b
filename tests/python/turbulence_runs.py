# SPDX-License-Identifier: Apache-2.0
"""The small forced flow of the tests of turbulence."""

CASE = """
solver = "turbulence"
[flow]
viscosity = 0.02
initial = "random"
[spectrum]
peak = 2.0
[grid]
points = [24, 20, 16]
[scheme]
dt = 0.02
[forcing]
kind = "negative_viscosity"
[run]
steps = 12
[output]
every = 0.08
history_every = 2
"""
FIELDS = ("velocity", "vorticity")
