# SPDX-License-Identifier: Apache-2.0
"""From the text of a case file to a checked, typed case, and the cases that come with Subcurrent."""
