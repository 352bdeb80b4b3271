"""Graphs that choose the device of each operation, and the class of the default graph."""
import contextlib
from typing import Any, Callable, Iterator

from legacy_towers.compat.versions import tf


class PlacingGraph(tf.Graph):
    """A tf.Graph that can change the device of each operation.

    `place` is called for every operation that has a device, from tf.device, a device function, a variable's device
    setter or an imported GraphDef. An operation that is colocated with another gets the device that `place` set there.
    """

    def place(self, operation: Any) -> None:
        """Sets the device of `operation` with `set_device`, or keeps it."""

    def _apply_device_functions(self, op: Any) -> None:
        # Private: the one function that sets devices, also for imported GraphDefs. Tried on 1.15 and 2.21.
        super()._apply_device_functions(op)
        if op.device:
            self.place(op)


def set_device(operation: Any, device: str) -> None:
    """Sets the device of `operation`, which no session has run yet."""
    # Private: publicly only device scopes set it. Tried on 1.15 and 2.21.
    operation._set_device_from_string(device)


@contextlib.contextmanager
def default_graph_factory(make: Callable[[], Any]) -> Iterator[None]:
    """Makes TensorFlow call `make` for the default graph of operations that are made outside `Graph.as_default`.

    There is one such graph per thread, made at its first use, and a new one after tf.reset_default_graph. None is made
    earlier: tf.enable_eager_execution raises an error once there is a default graph.
    """
    # Private: no public call sets the global default graph. The class of TensorFlow's stack object is replaced. Tried
    # on 1.15 and 2.21.
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
