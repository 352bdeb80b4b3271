"""The patches of TensorFlow and Keras that apply while a script runs. Each is a context manager."""
