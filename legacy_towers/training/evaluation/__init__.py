"""Evaluation and prediction: of a checkpoint, and while a run trains."""
