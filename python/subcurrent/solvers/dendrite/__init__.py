# SPDX-License-Identifier: Apache-2.0
"""Crystals that grow in an undercooled melt."""
