"""Modules of Python's library with the names that Python 3.8 and later dropped."""
