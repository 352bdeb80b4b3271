"""Batches as numpy arrays: rows of arrays by indexing, all other examples from a graph and session of their own."""
from typing import Any, Dict, Generator, Iterator, List, Optional, Tuple

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.data import structure
from legacy_towers.data.record_errors import naming_records
from legacy_towers.data.sessions import own_session
from legacy_towers.data.start import SEEDS, Start, draw_seed, epoch_order
from legacy_towers.tensor_types import Graph


def index_batches(
    count: int,
    batch_size: int,
    epochs: Optional[int],
    shuffle: bool,
    seed: Optional[int],
    drop_remainder: bool,
    epoch: int = 0,
    skip: int = 0,
) -> Iterator[np.ndarray]:
    """Yields the row numbers of each batch, int64 of shape [batch_size], in a new order in each epoch.

    A batch may span two epochs, as in tf.data and in queues, so that no example is left out. Only the last batch of all
    may be shorter; `drop_remainder` drops it.

    Args:
      seed: of the shuffled order; None draws one.
      epoch, skip: where the first batch begins: at row `skip` of the order of this epoch.
    """
    seed = draw_seed() if seed is None else seed
    remaining = np.arange(0)
    while epochs is None or epoch < epochs:
        order = epoch_order(count, seed, epoch) if shuffle else np.arange(count)
        remaining = np.concatenate([remaining, order[skip:]])
        skip = max(0, skip - count)
        whole = len(remaining) // batch_size * batch_size
        for start in range(0, whole, batch_size):
            yield remaining[start:start + batch_size]
        remaining = remaining[whole:]
        epoch += 1
    if len(remaining) and not drop_remainder:
        yield remaining


def take_rows(arrays: Any, rows: np.ndarray) -> Any:
    """Returns the given rows of each array, as a view if the rows are consecutive."""
    consecutive = bool(np.all(np.diff(rows) == 1))
    index = slice(int(rows[0]), int(rows[0]) + len(rows)) if consecutive else rows
    return structure.map_leaves(lambda array: array[index], arrays)


class StepGraph:
    """A separate graph that reads and parses the batches of a step, one per tower. It can run in many sessions.

        examples a b c d e, 2 towers, per_tower=2:        tower 0   tower 1
                                                step 0:   [a b]     [c d]
                                                step 1:   [e]       []        (only with drop_remainder=False)

    TensorFlow writes each tower's batch into aligned memory, so that it can be fed without a copy.
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
          epochs: how often the data is repeated; None repeats it indefinitely.
          drop_remainder: whether an incomplete last step is dropped; if not, its last batches are short or empty. Empty
            batches need dense components.
        """
        self._examples = examples
        with tf.Graph().as_default() as self._graph, tf.device("/cpu:0"):
            places = [tf.placeholder(tf.int64, [], name=name) for name in Start._fields]
            self._start = Start(*places)
            dataset = examples.dataset(shuffle=shuffle, epochs=epochs, start=self._start)
            dataset = dataset.batch(per_tower, drop_remainder=drop_remainder)
            if not drop_remainder and towers > 1:
                # Completes the last step; if that is complete already, these are too few to make another step.
                empty = structure.map_leaves(_no_rows, dataset.element_spec)
                dataset = dataset.concatenate(tf.data.Dataset.from_tensors(empty).repeat(towers - 1))
            iterator = tf.data.make_initializable_iterator(dataset.prefetch(2 * towers))
            self.step: List[Any] = []
            previous: List[Any] = []
            for _ in range(towers):
                with tf.control_dependencies(previous):  # without it the batches reach the towers in any order
                    self.step.append(iterator.get_next())
                previous = [leaf.op for leaf in tf.nest.flatten(self.step[-1], expand_composites=True)]
            self._initializer = iterator.initializer
        self._seed = examples.seed

    def steps(self, start: Optional[Start] = None) -> Generator[List[Any], None, None]:
        """Yields a structure of numpy arrays per tower for each step; its session is closed at the end.

        Args:
          start: numbers; None: the beginning of the data, with the seed of the examples.

        Raises:
          RecordError: a record or a file can't be read or parsed.
        """
        return self._named(session_batches(self._graph, self._initializer, self.step, self._feed(start)))

    def _named(self, steps: Generator[Any, None, None]) -> Generator[Any, None, None]:
        try:
            with naming_records(self._examples, only_of_input=False):
                for step in steps:
                    yield step
                    del step  # a reference would prevent the reuse of its memory
        finally:
            steps.close()

    def _feed(self, start: Optional[Start]) -> Dict[Any, int]:
        if start is None:
            start = Start(draw_seed() if self._seed is None else self._seed % SEEDS, 0, 0)
        return dict(zip(self._start, start))

    def first_step(self) -> Optional[List[Tuple[Any, List[np.ndarray]]]]:
        """Returns the tensors of each tower's batch and their values in the first step; None without any example.

        The values are a flat list. A sparse or ragged component has one array per tensor that it consists of.
        """
        # By `leaves_of`, which keeps the order of a dict's keys: tf.nest sorts them.
        flat = [
            [tensor for leaf in structure.leaves_of(batch) for tensor in tf.nest.flatten(leaf, expand_composites=True)]
            for batch in self.step
        ]
        steps = session_batches(self._graph, self._initializer, flat, self._feed(None))
        try:
            values = next(steps, None)
            return None if values is None else list(zip(self.step, values))
        finally:
            steps.close()


def _no_rows(spec: Any) -> Any:
    shape = [0] + [0 if size is None else size for size in spec.shape.as_list()[1:]]
    return tf.zeros(shape, spec.dtype)


def session_batches(
    graph: Graph, initializer: Any, batch: Any, feed_dict: Dict[Any, Any]
) -> Generator[Any, None, None]:
    """Yields the values of `batch` until the end of data, from a separate session that is closed at the end."""
    session = own_session(graph)
    try:
        session.run(initializer, feed_dict)
        next_values = session.make_callable(batch)
        while True:
            try:
                values = next_values()
            except tf.errors.OutOfRangeError:
                return
            yield values
    finally:
        session.close()
