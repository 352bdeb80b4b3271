"""Figures, no opinions: timing, traces, memory, parity."""
