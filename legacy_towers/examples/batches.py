"""Batches as numpy arrays: arrays are indexed directly, everything else is parsed in a graph and session of its own."""
from typing import Any, Generator, Iterator, List, Optional, Tuple

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


class StepGraph:
    """A graph of its own that reads and parses a step's batches, one per tower; made once, run in many sessions.

        examples a b c d e, 2 towers of 2, the last step kept:   step 0: [a b] [c d]   step 1: [e] []

    TensorFlow assembles each tower's batch by itself, in aligned memory, so that it can be fed as it is.
    """

    def __init__(
        self,
        examples: Any,
        towers: int,
        per_tower: int,
        epochs: Optional[int],
        shuffle: Any,
        drop_remainder: bool,
    ) -> None:
        """
        Args:
          examples: an `Examples`.
          towers: batches in a step.
          per_tower: examples in a batch.
          epochs: None for ever.
          shuffle: as in `Examples`.
          drop_remainder: leave the last step out where it would be incomplete; else its last batches are short or
            empty. They are empty in their dense components: others can't be told to have no row.
        """
        with tf.Graph().as_default() as self._graph, tf.device("/cpu:0"):
            dataset = examples.dataset(shuffle=shuffle, epochs=epochs)
            dataset = dataset.batch(per_tower, drop_remainder=drop_remainder)
            if not drop_remainder and towers > 1:
                # These fill the last step up; where it was complete already, they are too few for another one.
                empty = structure.map_leaves(_no_rows, dataset.element_spec)
                dataset = dataset.concatenate(tf.data.Dataset.from_tensors(empty).repeat(towers - 1))
            iterator = tf.data.make_initializable_iterator(dataset.prefetch(2 * towers))
            self.step: List[Any] = []
            before: List[Any] = []
            for _ in range(towers):
                with tf.control_dependencies(before):  # in turn: without it the towers' order is any
                    self.step.append(iterator.get_next())
                before = [leaf.op for leaf in tf.nest.flatten(self.step[-1], expand_composites=True)]
            self._initializer = iterator.initializer

    def steps(self) -> Generator[List[Any], None, None]:
        """Yields, for each step, a structure of numpy arrays per tower, from a session that is closed at the end."""
        return session_batches(self._graph, self._initializer, self.step)

    def first_step(self) -> Optional[List[Tuple[Any, List[np.ndarray]]]]:
        """Returns, for each tower, its batch's tensors and their first values; None where there is no example.

        The values are flat: of a sparse or ragged component one array per tensor that it is made of.
        """
        # Leaf by leaf: tf.nest sorts the keys of dicts.
        flat = [
            [tensor for leaf in structure.leaves_of(batch) for tensor in tf.nest.flatten(leaf, expand_composites=True)]
            for batch in self.step
        ]
        steps = session_batches(self._graph, self._initializer, flat)
        try:
            values = next(steps, None)
            return None if values is None else list(zip(self.step, values))
        finally:
            steps.close()


def _no_rows(spec: Any) -> Any:
    shape = [0] + [0 if size is None else size for size in spec.shape.as_list()[1:]]
    return tf.zeros(shape, spec.dtype)


def session_batches(graph: Any, initializer: Any, batch: Any) -> Generator[Any, None, None]:
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
