"""Access to TensorFlow's private API that several packages of compat/tf1 need."""
