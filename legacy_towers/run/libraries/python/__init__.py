"""Modules of Python's standard library with the names that Python 3.8 and later removed."""
