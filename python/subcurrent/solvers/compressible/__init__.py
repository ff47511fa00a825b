# SPDX-License-Identifier: Apache-2.0
"""An ideal gas in a periodic box."""
