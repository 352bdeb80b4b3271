"""Parses records in a session of its own, to find those that can't be parsed, and why."""
import re
import threading
from typing import Any, Callable, List, Optional, Sequence

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.compat.versions.messages import plain_message
from legacy_towers.data import structure
from legacy_towers.data.sessions import own_session
from legacy_towers.data.sources import record_parts

_LONGEST = 300  # characters of a reason
_WHERE = re.compile(r"^(\{\{function_node [^}]*\}\} )?(Error in user-defined function passed to .*? iterator: \S+: )?")


class RecordCheck:
    """Parses chunks of records, in a graph and session that are created when they are first needed.

    Args:
      dtype: the dtype of a record.
      make_parser: returns a function from a record to an example; it is called in the graph.
    """

    def __init__(self, dtype: Any, make_parser: Callable[[], Callable[..., Any]]) -> None:
        self._dtype = dtype
        self._make_parser = make_parser
        self._lock = threading.Lock()
        self._session: Any = None

    def problems(self, records: Sequence[Any]) -> List[str]:
        """Returns, for each record, why it can't be parsed; "" if it can."""
        return [problem for problem, _ in self._parsed(records)]

    def shapes(self, records: Sequence[Any]) -> List[Optional[List[str]]]:
        """Returns, for each record, the shape of each component of its example; None if it can't be parsed."""
        return [shapes for _, shapes in self._parsed(records)]

    def paths(self) -> List[str]:
        """Returns the paths of the components whose shapes `shapes` returns."""
        with self._lock:
            self._open()
            return self._paths

    def close(self) -> None:
        """Closes the session; the next call opens another one."""
        with self._lock:
            session, self._session = self._session, None
        if session is not None:
            session.close()

    def _parsed(self, records: Sequence[Any]) -> List[Any]:
        with self._lock:
            self._open()
            found: List[Any] = [None] * len(records)
            for index, shapes in self._surviving(records):
                found[index] = ("", shapes)
            for index, record in enumerate(records):
                if found[index] is None:
                    found[index] = (self._reason(record), None)
            return found

    def _surviving(self, records: Sequence[Any]) -> List[Any]:
        self._start(self._skipping, records)
        found: List[Any] = []
        while True:
            try:
                indices, shapes = self._session.run(self._next_skipping)
            except tf.errors.OutOfRangeError:
                return found
            found.extend((int(index), [text.decode() for text in texts]) for index, texts in zip(indices, shapes))

    def _reason(self, record: Any) -> str:
        self._start(self._failing, [record])
        try:
            self._session.run(self._next_failing)
        except tf.errors.OpError as error:
            lines = plain_message(error).splitlines() or [type(error).__name__]
            return _WHERE.sub("", lines[0]).rstrip(".")[:_LONGEST]
        return ""  # now it can: the parse function is random, or a file was replaced

    def _start(self, iterator: Any, records: Sequence[Any]) -> None:
        values = np.array(list(records), self._dtype.as_numpy_dtype)
        self._session.run(iterator.initializer, {self._records: values})

    def _open(self) -> None:
        if self._session is not None:
            return
        with tf.Graph().as_default() as graph, tf.device("/cpu:0"):
            parse = self._make_parser()
            self._paths: List[str] = []

            def parsed(index: Any, record: Any) -> Any:
                return index, parse(*record_parts(record))

            def with_shapes(index: Any, example: Any) -> Any:
                leaves = structure.leaves(example)
                self._paths = [path for path, _ in leaves]
                return index, tf.stack([_shape(leaf) for _, leaf in leaves])

            self._records = tf.placeholder(self._dtype, [None])
            dataset = tf.data.Dataset.from_tensor_slices(self._records).enumerate()
            dataset = dataset.map(_unconverted(parsed), int(tf.data.experimental.AUTOTUNE))
            # The shapes in another function: where they are known, TensorFlow would not compute their components.
            skipping = dataset.apply(tf.data.experimental.ignore_errors()).map(_unconverted(with_shapes)).batch(256)
            self._skipping = tf.data.make_initializable_iterator(skipping)
            self._next_skipping = self._skipping.get_next()
            self._failing = tf.data.make_initializable_iterator(dataset)
            self._next_failing = self._failing.get_next()
            initializers = [
                tf.global_variables_initializer(), tf.local_variables_initializer(), tf.tables_initializer()
            ]
        self._session = own_session(graph)
        self._session.run(initializers)


def _shape(leaf: Any) -> Any:
    """Returns the shape of a component as text, such as "8,9"; "" for a ragged or a sparse one."""
    if not isinstance(leaf, tf.Tensor):
        return tf.constant("")
    return tf.strings.reduce_join(tf.as_string(tf.shape(leaf)), separator=",")


def _unconverted(function: Callable[..., Any]) -> Callable[..., Any]:
    return tf.autograph.experimental.do_not_convert(function)
