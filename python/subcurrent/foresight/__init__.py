# SPDX-License-Identifier: Apache-2.0
"""What was measured on this machine, and what would be measured on one that is not here."""
