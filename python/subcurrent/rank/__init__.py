# SPDX-License-Identifier: Apache-2.0
"""What one rank of a job does: the session, what it records, what it measures."""
