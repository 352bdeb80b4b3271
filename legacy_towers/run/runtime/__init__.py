"""Maps the devices of a running script, and applies the options of `run` to its graphs and sessions."""
