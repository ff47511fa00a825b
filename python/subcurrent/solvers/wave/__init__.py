# SPDX-License-Identifier: Apache-2.0
"""Sound in a box."""
