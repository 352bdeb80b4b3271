"""Threads of a dataset's own, as pipelines of benchmarks ask for them: options of datasets today."""
from typing import Any, Optional

from legacy_towers.compat import tf


class PrivateThreadPool:
    """Threads for the functions of one input pipeline.

    Args:
      num_threads: how many.
      display_name: names the pool in traces of 1.x; TensorFlow 2.x names it itself.
      max_intra_op_parallelism: how many threads one operation in these functions takes.
    """

    def __init__(self, num_threads: int, display_name: Optional[str] = None, max_intra_op_parallelism: int = 1) -> None:
        self.num_threads = num_threads
        self.display_name = display_name
        self.max_intra_op_parallelism = max_intra_op_parallelism


def override_threadpool(dataset: Any, thread_pool: PrivateThreadPool) -> Any:
    """Returns `dataset`, whose functions run on the threads of `thread_pool`."""
    options = tf.data.Options()
    options.threading.private_threadpool_size = thread_pool.num_threads
    options.threading.max_intra_op_parallelism = thread_pool.max_intra_op_parallelism
    return dataset.with_options(options)
