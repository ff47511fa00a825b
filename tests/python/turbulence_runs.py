# SPDX-License-Identifier: Apache-2.0
"""The small flows of the tests of turbulence."""

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

# One that somebody will disturb; how long it runs and what it writes is added.
TURBULENCE = """
solver = "turbulence"
[flow]
viscosity = 0.02
[grid]
points = [24, 20, 32]
[scheme]
dt = 0.01
"""
