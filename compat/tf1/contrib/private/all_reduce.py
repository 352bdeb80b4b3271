"""TensorFlow's graph implementations of all-reduce: ring, recursive halving, shuffle, NCCL."""

# Private API: tested on 1.15 and 2.21.
try:
    from tensorflow.python.distribute.v1.all_reduce import *  # noqa: F401,F403
except ImportError:  # TensorFlow 1.15
    from tensorflow.python.distribute.all_reduce import *  # noqa: F401,F403
