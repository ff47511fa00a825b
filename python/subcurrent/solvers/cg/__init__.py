# SPDX-License-Identifier: Apache-2.0
"""Conjugate gradients: a user's matrix, and the NAS benchmark."""
