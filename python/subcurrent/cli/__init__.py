# SPDX-License-Identifier: Apache-2.0
"""The command line: verbs, options, help. The other packages do the work."""
