"""What a check looks at: a graph and, of a script, what its sessions did in its first steps."""
from typing import TYPE_CHECKING, Dict, Iterable, List, NamedTuple, Optional, Set, Tuple

from legacy_towers.compat.versions.tracebacks import user_line
from legacy_towers.devices import short_name
from legacy_towers.doctor.towers import Tower, find_towers
from legacy_towers.doctor.training.model import Training
from legacy_towers.graph.op_kinds import applies_gradient
from legacy_towers.graph.shared_batches import SharedBatch, find_shared_batches
from legacy_towers.graph.walk import ancestors
from legacy_towers.migrate.conversion.operations import count_of
from legacy_towers.migrate.conversion.queue_graph import Queue, QueueGraph
from legacy_towers.run.runtime.observation import Observed
from legacy_towers.tensor_types import Graph, Operation

if TYPE_CHECKING:
    from legacy_towers.doctor.saved import SavedCheckpoint


class Evidence(NamedTuple):
    """What a check has found at one place.

    Attributes:
      operation: name of the operation; "" if it is about none.
      line: "train.py, line 31, in main: x = q.dequeue()"; "" if it is unknown.
      message: what is wrong, and what follows from it.
      remedy: what to do.
    """

    operation: str
    line: str
    message: str
    remedy: str


class Subject:
    """A graph to examine.

    Args:
      graph: the graph.
      observed: what the sessions of the graph did; None for a graph that was not run.
      saved: a checkpoint of the graph, which is empty where only the checkpoint is known; None without one.

    Attributes:
      graph, observed, saved: the arguments.
      operations: the operations of the graph.
      queues: its queues.
    """

    def __init__(
        self, graph: Graph, observed: Optional[Observed] = None, saved: "Optional[SavedCheckpoint]" = None
    ) -> None:
        self.graph = graph
        self.observed = observed
        self.saved = saved
        self.operations: List[Operation] = graph.get_operations()
        self.queues = QueueGraph(graph)
        self._by_type: Optional[Dict[str, List[Operation]]] = None
        self._trained: Optional[Set[Operation]] = None
        self._short_names: Dict[str, str] = {}
        self._shared_batches: Optional[Tuple[List[Tower], List[SharedBatch]]] = None
        self._training: Optional[Training] = None

    @property
    def by_type(self) -> Dict[str, List[Operation]]:
        """The operations by their types, which TensorFlow takes a microsecond each to return."""
        if self._by_type is None:
            self._by_type = {}
            for operation in self.operations:
                self._by_type.setdefault(operation.type, []).append(operation)
        return self._by_type

    def of_types(self, types: Iterable[str]) -> List[Operation]:
        """Returns the operations of the given types, in the order of the types."""
        return [operation for kind in types for operation in self.by_type.get(kind, ())]

    @property
    def trained(self) -> Set[Operation]:
        """The operations that must run to update variables by gradients."""
        if self._trained is None:
            updates = [each for same in self.by_type.values() if applies_gradient(same[0]) for each in same]
            self._trained = ancestors(updates, graph=self.graph) if updates else set()
        return self._trained

    def device_of(self, operation: Operation) -> str:
        """Returns the device that a script named for an operation, "/gpu:1"; "" if it named none.

        Where `legacy-towers run` places operations of a missing GPU on another device, it is the GPU.
        """
        requested: Dict[str, str] = getattr(self.graph, "requested_devices", {})
        device = requested.get(operation.name) or operation.device or ""
        if requested and operation.name not in requested:
            for group in operation.colocation_groups():  # gradients are placed where their operations are
                device = requested.get(group[len(b"loc:@"):].decode(), device)
        if device not in self._short_names:
            self._short_names[device] = short_name(device)
        return self._short_names[device]

    @property
    def shared_batches(self) -> Tuple[List[Tower], List[SharedBatch]]:
        """The towers, and the input operations whose examples several of them read."""
        if self._shared_batches is None:
            towers = find_towers(self.operations, self.trained)
            with self.graph.as_default():  # where tensors are looked up; nothing is added
                self._shared_batches = towers, find_shared_batches([each.losses for each in towers])
        return self._shared_batches

    @property
    def training(self) -> Training:
        """How the graph trains, by the updates that ran; by all updates if nothing is known about runs."""
        if self._training is None:
            known = self.observed is not None and self.observed.fetched
            self._training = Training(self.graph, self.observed.all_ran() if self.observed and known else None)
        return self._training

    def evidence(self, operation: Operation, message: str, remedy: str) -> Evidence:
        """Returns evidence at an operation."""
        return Evidence(operation.name, user_line(operation), message, remedy)

    def queue_batch(self, queue: Queue) -> int:
        """Returns the largest number of elements that one operation takes from `queue`; 0 if it is unknown."""
        from_counts = [_batch(each) for each in queue.dequeues]
        return max(from_counts) if from_counts else 0


def _batch(dequeue: Operation) -> int:
    count = count_of(dequeue)
    return 1 if count is None else max(count, 0)
