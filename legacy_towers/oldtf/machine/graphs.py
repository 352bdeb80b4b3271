"""tf.Graph, for graphs whose operations go where this machine has room for them."""
from typing import Any, Dict, Optional

from legacy_towers.compat import script_graph, tf, variable_store
from legacy_towers.oldtf.machine import machine as machine_room


class _AnyGraph(type(tf.Graph)):  # type: ignore[misc]  # the class of a class that TensorFlow writes in C++
    """Lets `isinstance(graph, tf.Graph)` be true of the graphs that TensorFlow makes for itself, too."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, tf.Graph) if cls is Graph else super().__instancecheck__(instance)


class Graph(script_graph.PlacingGraph, metaclass=_AnyGraph):
    """tf.Graph; what a script puts on a GPU goes where `--soft` and its kin say."""

    # The number of CPU devices of the graph's first session; operations come late that need more.
    _session_cpus: Optional[int] = None

    def __init__(self) -> None:
        super().__init__()
        self._machine = machine_room.of_running_script()
        # Name of an operation -> the GPU that it was put on, where it is on a CPU instead: what a script reads back.
        self.asked_devices: Dict[str, str] = {}

    def place(self, operation: Any) -> None:
        machine = self._machine
        if machine is None:
            return
        asked = operation.device
        cpu = machine.devices.place(operation)
        if operation.device != asked:
            self.asked_devices[operation.name] = asked
        if self._session_cpus is not None and cpu >= self._session_cpus:
            machine.say_late("a session", self._session_cpus, cpu + 1)
            self._session_cpus = None

    def add_to_collection(self, name: Any, value: Any) -> None:
        """Adds `value` to the collection `name`; losses of regularizers as the tensors that 1.x had there."""
        if name == tf.GraphKeys.REGULARIZATION_LOSSES:
            value = variable_store.regularization_loss(value)
        super().add_to_collection(name, value)

    def note_session(self, cpus: int) -> None:
        """Says that a session of this graph was made that has `cpus` CPU devices."""
        self._session_cpus = cpus
