"""Names from before TensorFlow 1.0."""
