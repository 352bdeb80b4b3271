"""What TensorFlow knows of queue runners that the public API does not return (tried on 1.15 and 2.21)."""
from typing import Any


def is_started(runner: Any) -> bool:
    """Returns whether threads of a queue runner were created for a session that exists.

    Args:
      runner: a `tf.train.QueueRunner`, or what stands for one in the collection QUEUE_RUNNERS and has no threads.
    """
    return len(getattr(runner, "_runs_per_session", ())) > 0
