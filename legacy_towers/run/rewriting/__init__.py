"""Rewrites the syntax tree of a script, and the functions that the rewritten script calls."""
