# SPDX-License-Identifier: Apache-2.0
"""The launcher: run folders, the plan of a job, the ranks under mpirun, and how they end."""
