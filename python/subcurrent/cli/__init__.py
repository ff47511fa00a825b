# SPDX-License-Identifier: Apache-2.0
"""The command line: verbs, options, help. What a verb does is in the other rooms."""
