"""Compares what input pipelines (examples, losses) and TensorFlow versions (variables, gradients, losses) compute."""
