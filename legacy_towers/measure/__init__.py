"""Measurements of steps: timing, traces, memory, examples of an epoch, and their statistics."""
