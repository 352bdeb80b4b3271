"""Predicts the time of a step over more workers than there are, from what its processes measure here."""
