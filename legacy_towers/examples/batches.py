"""Batches as numpy arrays: arrays are indexed directly, everything else is parsed in a graph and session of its own."""
from typing import Any, Iterator, Optional

import numpy as np

from legacy_towers import structure
from legacy_towers.compat import tf


def index_batches(
    count: int, batch_size: int, epochs: Optional[int], shuffle: bool, seed: Optional[int], drop_remainder: bool
) -> Iterator[np.ndarray]:
    """Yields the row numbers of each batch, int64 of shape [batch_size]: epoch after epoch, each in a new order.

    A batch may reach over the end of an epoch, as it does in tf.data and in queues: no example is left out. Only at
    the very end there may be a short batch, which `drop_remainder` drops.
    """
    random = np.random.RandomState(seed)
    waiting = np.arange(0)
    epoch = 0
    while epochs is None or epoch < epochs:
        order = random.permutation(count) if shuffle else np.arange(count)
        waiting = np.concatenate([waiting, order])
        whole = len(waiting) // batch_size * batch_size
        for start in range(0, whole, batch_size):
            yield waiting[start:start + batch_size]
        waiting = waiting[whole:]
        epoch += 1
    if len(waiting) and not drop_remainder:
        yield waiting


def take_rows(arrays: Any, rows: np.ndarray) -> Any:
    """Returns a structure of batches: the given rows of each array, as a view where the rows are consecutive."""
    consecutive = bool(np.all(np.diff(rows) == 1))
    where = slice(int(rows[0]), int(rows[0]) + len(rows)) if consecutive else rows
    return structure.map_leaves(lambda array: array[where], arrays)


def session_batches(graph: Any, initializer: Any, batch: Any) -> Iterator[Any]:
    """Yields the values of `batch` until the end of data, from a session of its own that is closed at the end.

    The session sees no GPU and no more than one CPU device, and has its own threads: it must not decide how much memory
    and how many threads the training session of the same process gets.
    """
    config = tf.ConfigProto(device_count={"CPU": 1, "GPU": 0}, use_per_session_threads=True)
    session = tf.Session(graph=graph, config=config)
    try:
        session.run(initializer)
        pull = session.make_callable(batch)
        while True:
            try:
                values = pull()
            except tf.errors.OutOfRangeError:
                return
            yield values
    finally:
        session.close()
