"""Reads a pipeline to its end, and keeps the hashes of its batches and examples."""
import contextlib
import hashlib
import random
from typing import Any, Callable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.compat.versions.messages import plain_message
from legacy_towers.migrate.proof.sides import Component, Shape, Side

_STOP_SECONDS = 10


class Batch(NamedTuple):
    """One read, or one of the examples in it.

    Attributes:
      components: for each component, the hash of its bytes, dtype and shape.
      described: for each component, its dtype and shape.
      size: the number of examples.
    """

    components: Tuple[bytes, ...]
    described: Tuple[str, ...]
    size: int


class Recording(NamedTuple):
    """What one version of a pipeline gave.

    Attributes:
      batches: its reads.
      examples: for each example, in order, the hashes of its components.
      error: why it ended, if not by the end of its data; "" otherwise.
    """

    batches: List[Batch]
    examples: List[Tuple[bytes, ...]]
    error: str

    @property
    def last_batch(self) -> int:
        return self.batches[-1].size if self.batches else 0


Watch = Callable[[int, Sequence[Any]], None]


def record(side: Side, shape: Shape, seconds: float, watch: Optional[Watch] = None) -> Recording:
    """Reads a pipeline to its end.

    Args:
      side: the version to read.
      shape: what is read.
      seconds: how long one batch may take.
      watch: called with the number of each batch and the values of its components.
    """
    batches: List[Batch] = []
    examples: List[Tuple[bytes, ...]] = []
    with reading(side, seconds) as read:
        error = read.problem
        while not error:
            try:
                values = read()
            except tf.errors.OutOfRangeError:
                break
            except tf.errors.DeadlineExceededError:
                error = "it gave no batch for {:g} seconds".format(seconds)
                break
            except tf.errors.OpError as problem:
                error = described_error(problem)
                break
            if watch is not None:
                watch(len(batches), values)
            components = shape.reads[len(batches) % len(shape.reads)]
            rows = examples_of(values, components, shape.has_batches)
            batches.append(Batch(
                tuple(_hash(value) for value in values), tuple(_described(value) for value in values), len(rows),
            ))
            examples += rows
        stopped = read.failure() if not error else None
    if stopped is not None:
        error = described_error(stopped)
    return Recording(batches, examples, error)


class _Reader:
    """Gives the values of the next batch, one read operation after the other."""

    def __init__(self, session: Any, side: Side, coordinator: Any, seconds: Optional[float]) -> None:
        self._session, self._side, self._coordinator = session, side, coordinator
        self._options = None if seconds is None else tf.RunOptions(timeout_in_ms=int(seconds * 1000))
        self._number = 0
        self.problem = ""  # why it can't be read; "" if it can

    def __call__(self) -> List[Any]:
        fetches = self._side.reads[self._number % len(self._side.reads)]
        self._number += 1
        found = self._session.run(fetches, self._side.feeds, options=self._options)
        return [each[0] if len(each) == 1 else tuple(each) for each in found]

    def failure(self) -> Optional[BaseException]:
        """Returns the error that ended a thread which fills a queue; None if none did."""
        self._coordinator.request_stop()
        try:
            self._coordinator.join(stop_grace_period_secs=_STOP_SECONDS, ignore_live_threads=True)
        except tf.errors.OpError as error:
            return None if isinstance(error, (tf.errors.OutOfRangeError, tf.errors.CancelledError)) else error
        return None


@contextlib.contextmanager
def reading(side: Side, seconds: Optional[float]) -> Iterator[Any]:
    """Starts a session of one version of a pipeline; yields a function that returns the values of the next batch.

    A batch may take `seconds`; None: any time, as in a script. A limit costs tf.data up to 0.1 ms per batch, and queues
    nothing.

    The random numbers of Python and numpy, which functions of `tf.py_func` may draw, are the same in each session, and
    go on afterwards as if it had not been.
    """
    states = random.getstate(), np.random.get_state()
    random.seed(1)
    np.random.seed(1)
    coordinator = tf.train.Coordinator()
    try:
        with tf.Session(graph=side.graph, config=cpu_config()) as session:
            reader = _Reader(session, side, coordinator, seconds)
            try:
                session.run(side.initializers, side.made_up)
                for runner in side.runners:
                    runner.create_threads(session, coord=coordinator, daemon=True, start=True)
            except tf.errors.OpError as error:  # such as for a variable whose initial value is fed
                reader.problem = described_error(error)
            try:
                yield reader
            finally:
                reader.failure()
    finally:
        random.setstate(states[0])
        np.random.set_state(states[1])


def cpu_config() -> Any:
    """Returns the config of a session without GPUs, and without rewriting of the graph.

    The memory of GPUs is left to the program. Grappler rewrites the arithmetic of a session's graph, such as a division
    by a constant, but not that of the functions of a dataset: the last bits would differ.
    """
    config = tf.ConfigProto(allow_soft_placement=True, device_count={"GPU": 0})
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    return config


def examples_of(values: Sequence[Any], components: Sequence[Component], has_batches: bool) -> List[Tuple[bytes, ...]]:
    """Returns, for each example of a batch, the hashes of its components.

    Args:
      values: the values of the batch, one for each component.
      components: these components.
      has_batches: whether the first dimension counts examples; else the values are one example.
    """
    if not has_batches:
        return [tuple(_hash(value) for value in values)]
    split = [_split(value, component) for value, component in zip(values, components)]
    if len({len(each) for each in split}) > 1:  # a queue whose elements are not batches of the same examples
        return [tuple(_hash(value) for value in values)]
    return list(zip(*split))


def _split(value: Any, component: Component) -> List[bytes]:
    if not component.is_sparse:
        return [_hash(_trimmed(row) if component.is_padded else row) for row in np.asarray(value)]
    indices, elements, shape = value
    hashes = []
    for row in range(int(shape[0])):
        chosen = indices[:, 0] == row
        hashes.append(_hash((indices[chosen][:, 1:], elements[chosen], np.zeros(0, np.int64))))
    return hashes


def _trimmed(row: Any) -> Any:
    """Returns an array without the zeros and empty strings at its ends, by which it may be padded."""
    filled = np.nonzero(row)
    return row[tuple(slice(0, int(each.max()) + 1 if each.size else 0) for each in filled)]


def _hash(value: Any) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    for part in value if isinstance(value, tuple) else (value,):
        array = np.asarray(part)
        digest.update("{}{}".format(array.dtype.str, array.shape).encode())
        if array.dtype == object:
            for each in array.ravel():
                data = each if isinstance(each, bytes) else str(each).encode()
                digest.update(b"%d:" % len(data) + data)
        else:
            digest.update(np.ascontiguousarray(array).tobytes())
    return digest.digest()


def _described(value: Any) -> str:
    if isinstance(value, tuple):
        return "sparse " + _described(value[1])
    array = np.asarray(value)
    if isinstance(value, (bytes, str)) or array.dtype == object:
        return "string{}".format(list(array.shape))
    return "{}{}".format(array.dtype.name, list(array.shape))


def described_error(error: Any) -> str:
    """Returns the type of a tf.errors.OpError and the first line of its message, shortened."""
    return "{}: {}".format(type(error).__name__, (plain_message(error).splitlines() or [""])[0][:200])
