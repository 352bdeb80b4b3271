"""Keywords of the command line that replace the name of a strategy or a reduction."""
AUTO = "auto"  # train: measure the candidates and use the fastest
ALL = "all"  # compare: all supported ones
