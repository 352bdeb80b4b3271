"""Old scripts on today's TensorFlow: the view of TensorFlow 1.x that they were written for.

`tree` is the view, a module for each module of TensorFlow 1.15; `provided` lists what serves the names that TensorFlow
dropped; `run` launches a script that sees the view wherever it imports TensorFlow.
"""
