"""Graphs whose operations go elsewhere than asked, and the graph that is the default one."""
import contextlib
from typing import Any, Iterator

from legacy_towers.compat import tf


class PlacingGraph(tf.Graph):
    """A tf.Graph that has the last word on the device of each operation.

    `place` is called for every operation that asks for a device, whatever asked: tf.device, a device function, a
    variable's setter, the device that an imported GraphDef names. What is colocated with another operation gets the
    device that `place` left there.
    """

    def place(self, operation: Any) -> None:
        """Sets the device of `operation` with `set_device`, or leaves it."""

    def _apply_device_functions(self, op: Any) -> None:
        # Private: the one function through which every device goes, imports of GraphDefs included. Tried on 1.15 and
        # 2.21.
        super()._apply_device_functions(op)
        if op.device:
            self.place(op)


def set_device(operation: Any, device: str) -> None:
    """Puts `operation`, which no session has run yet, on `device`."""
    # Private: an operation's device is set by scopes only. Tried on 1.15 and 2.21.
    operation._set_device_from_string(device)


@contextlib.contextmanager
def default_graph(graph: Any) -> Iterator[None]:
    """Makes `graph` the one that this thread builds in where no graph was entered, and puts the former one back."""
    stack = _default_graphs()
    before = stack._global_default_graph
    stack._global_default_graph = graph
    try:
        yield
    finally:
        stack._global_default_graph = before


def reset_default_graph(graph: Any) -> None:
    """tf.reset_default_graph, with `graph` as the new default one.

    Raises:
      AssertionError: inside of a graph that was entered, as TensorFlow says it.
    """
    tf.reset_default_graph()
    _default_graphs()._global_default_graph = graph


def _default_graphs() -> Any:
    # Private: TensorFlow makes the graph below all entered ones itself. Tried on 1.15 and 2.21.
    from tensorflow.python.framework import ops

    return ops._default_graph_stack
