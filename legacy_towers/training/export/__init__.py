"""Exports a trained model as a SavedModel, which serves on one device without towers and without an input pipeline."""
