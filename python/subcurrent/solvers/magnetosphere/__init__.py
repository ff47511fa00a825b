# SPDX-License-Identifier: Apache-2.0
"""A planet in the solar wind, and the tests of the MHD scheme."""
