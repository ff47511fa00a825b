# SPDX-License-Identifier: Apache-2.0
"""The work of one rank of a job: the session, its records, its measurements."""
