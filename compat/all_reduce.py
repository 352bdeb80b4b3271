"""All-reduce algorithms as graphs of TensorFlow's own: ring, recursive halving, shuffle, NCCL."""

# Private: tried on 1.15 and 2.21.
try:
    from tensorflow.python.distribute.v1.all_reduce import *  # noqa: F401,F403
except ImportError:  # TensorFlow 1.15; ends with it
    from tensorflow.python.distribute.all_reduce import *  # noqa: F401,F403
