# SPDX-License-Identifier: Apache-2.0
"""Measurements on this machine, and predictions for other machines."""
