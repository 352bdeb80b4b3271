"""Modules for tutorials that were installed with TensorFlow."""
