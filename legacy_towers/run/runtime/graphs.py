"""tf.Graph, for graphs whose operations are mapped to the devices that exist."""
from typing import Any, Dict, Optional

from legacy_towers.compat import tf
from legacy_towers.compat.patches import default_graphs
from legacy_towers.compat.versions import variable_store
from legacy_towers.run.runtime import current


class _AnyGraph(type(tf.Graph)):  # type: ignore[misc]  # the metaclass of a C++ class
    """Makes `isinstance(graph, tf.Graph)` true for the graphs that TensorFlow creates itself, too."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, tf.Graph) if cls is Graph else super().__instancecheck__(instance)


class Graph(default_graphs.PlacingGraph, metaclass=_AnyGraph):
    """tf.Graph; operations on GPUs are placed by `--soft`, `--towers-device` and `--num-devices`."""

    # The number of CPU devices of the graph's first session; operations that are added later may need more.
    _session_cpus: Optional[int] = None

    def __init__(self) -> None:
        super().__init__()
        self._runtime = current.script_runtime()
        # Name of an operation -> the GPU that the script requested, where it is on a CPU; scripts read it back.
        self.requested_devices: Dict[str, str] = {}

    def place(self, operation: Any) -> None:
        runtime = self._runtime
        if runtime is None:
            return
        requested = operation.device
        cpu = runtime.devices.place(operation)
        if operation.device != requested:
            self.requested_devices[operation.name] = requested
        if self._session_cpus is not None and cpu >= self._session_cpus:
            runtime.report_missing_cpus("a session", self._session_cpus, cpu + 1)
            self._session_cpus = None

    def add_to_collection(self, name: Any, value: Any) -> None:
        """Adds `value` to the collection `name`; losses of regularizers are tensors, as in TensorFlow 1.x."""
        if name == tf.GraphKeys.REGULARIZATION_LOSSES:
            value = variable_store.regularization_loss(value)
        super().add_to_collection(name, value)

    def note_session(self, cpus: int) -> None:
        """Records that a session with `cpus` CPU devices was created for this graph."""
        self._session_cpus = cpus
