"""Modules that came with TensorFlow for its tutorials."""
