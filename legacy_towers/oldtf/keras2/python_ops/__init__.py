"""tensorflow.python.ops, the modules about recurrent cells."""
