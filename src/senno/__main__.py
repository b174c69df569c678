"""`python -m senno`."""

from senno.cli import main

main()
