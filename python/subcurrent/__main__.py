# SPDX-License-Identifier: Apache-2.0
"""`python -m subcurrent` is the program `subcurrent`."""

from .cli.program import main

if __name__ == "__main__":
    main()
