"""Reductions that wrap another reduction: buckets and compression."""
