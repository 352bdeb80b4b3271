"""Choosing a strategy by measuring."""
