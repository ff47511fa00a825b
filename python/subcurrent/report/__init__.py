# SPDX-License-Identifier: Apache-2.0
"""What a run left behind: its records read back, the account in words, figures, the page."""
