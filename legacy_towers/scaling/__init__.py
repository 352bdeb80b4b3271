"""Predicts the time of a step over more workers than there are, from what one process and two processes measure."""
