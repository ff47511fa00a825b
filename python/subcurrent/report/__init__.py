# SPDX-License-Identifier: Apache-2.0
"""The results of a run: its records, the times in words, figures, the page."""
