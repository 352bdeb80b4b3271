"""Modules that scripts import instead of `tensorflow` and `keras`."""
