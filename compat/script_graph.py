"""Graphs whose operations go elsewhere than asked, and who makes the default ones."""
import contextlib
from typing import Any, Callable, Iterator

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
def default_graphs_are(make: Callable[[], Any]) -> Iterator[None]:
    """Lets `make` make the graphs that operations go to where no graph was entered, while it lasts.

    That is one for each thread, made when it is first asked for, and a new one after tf.reset_default_graph. Nothing is
    made before: tf.enable_eager_execution refuses once there is a default graph.
    """
    # Private: no public call sets the graph below all entered ones, and TensorFlow makes it where it asks for it. The
    # class of this one object is ours for the while. Tried on 1.15 and 2.21.
    from tensorflow.python.framework import ops

    stack: Any = ops._default_graph_stack
    own: Any = type(stack)

    class Stack(own):
        _global_default_graph: Any

        def get_default(self) -> Any:
            if not self.stack and self._global_default_graph is None:
                self._global_default_graph = make()
            return super().get_default()

        def _GetGlobalDefaultGraph(self) -> Any:
            if self._global_default_graph is None:
                self._global_default_graph = make()
            return self._global_default_graph

    before, stack._global_default_graph = stack._global_default_graph, None
    stack.__class__ = Stack
    try:
        yield
    finally:
        stack.__class__ = own
        stack._global_default_graph = before
