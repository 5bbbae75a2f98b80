"""``python -m palimpsest.cli``: the same command line where no script is installed."""

from palimpsest.cli import main

main()
