"""Private thread pools of datasets, now tf.data.Options.threading."""
from typing import Any, Optional

from legacy_towers.compat.versions import tf


class PrivateThreadPool:
    """Describes the thread pool of an input pipeline.

    Args:
      num_threads: the number of threads.
      display_name: unused; the name of the pool in traces of TensorFlow 1.x.
      max_intra_op_parallelism: the maximum number of threads of one operation.
    """

    def __init__(self, num_threads: int, display_name: Optional[str] = None, max_intra_op_parallelism: int = 1) -> None:
        self.num_threads = num_threads
        self.display_name = display_name
        self.max_intra_op_parallelism = max_intra_op_parallelism


def override_threadpool(dataset: Any, thread_pool: PrivateThreadPool) -> Any:
    """Returns `dataset` with the option to run its functions in `thread_pool`."""
    options = tf.data.Options()
    options.threading.private_threadpool_size = thread_pool.num_threads
    options.threading.max_intra_op_parallelism = thread_pool.max_intra_op_parallelism
    return dataset.with_options(options)
