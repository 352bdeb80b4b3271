"""Parses the specs of input pipelines, strategies and reductions, without TensorFlow: the command line checks them
before it imports TensorFlow."""
