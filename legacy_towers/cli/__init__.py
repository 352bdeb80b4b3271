"""The command line: `legacy-towers COMMAND`, or `python -m legacy_towers COMMAND`."""
