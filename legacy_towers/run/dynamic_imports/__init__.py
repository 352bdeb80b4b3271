"""Shims of Python's modules that load files or start programs; scripts import them instead."""
