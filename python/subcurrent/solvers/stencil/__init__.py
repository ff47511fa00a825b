# SPDX-License-Identifier: Apache-2.0
"""Steps of stencil codes in Python, for predictions."""
