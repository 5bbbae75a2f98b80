"""``python -m palimpsest``: the command line where no script is installed."""

from palimpsest.cli import main

main()
