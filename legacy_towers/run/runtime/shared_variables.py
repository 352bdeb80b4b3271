"""Variables of a cluster for which a script names no task: all workers share them, as on TensorFlow 1.15."""
import weakref
from typing import Any, Callable, Dict, List, MutableMapping, NamedTuple, Optional, Set, Tuple

from legacy_towers.compat import tf
from legacy_towers.compat.patches import default_graphs
from legacy_towers.compat.versions.devices import prefers_own_task
from legacy_towers.text.names import quoted

_VARIABLES = ("Variable", "VariableV2", "VarHandleOp")
# Parts of the op types of queues and of the accumulators of tf.train.SyncReplicasOptimizer. A shared_name shares them.
_SHARED_BY_NAME = ("Queue", "Accumulator", "Barrier")


class _Task(NamedTuple):
    job: str
    task_index: int

    def fits(self, device: Any) -> bool:
        """Returns whether a tf.DeviceSpec names this task, or none."""
        return device.job in (None, self.job) and device.task in (None, self.task_index)


class SharedVariables:
    """Places variables without a task on the first task of the cluster that fits.

        tf.device      a cluster of ps:0, worker:0 and worker:1    TensorFlow 2 by itself, in a session of worker:1
        none           /job:ps/task:0                              /job:worker/task:1
        /cpu:0         /job:ps/task:0/device:CPU:0                 /job:worker/task:1/device:CPU:0
        /job:worker    /job:worker/task:0                          /job:worker/task:1

    TensorFlow 1.15 does so by itself. On TensorFlow 2 each worker would train variables of its own, or wait for ever
    for the chief to initialize them. Queues and accumulators with a shared_name are placed in the same way. Other
    operations, and variables that are local alone, stay on the worker.

    Args:
      print_line: prints one line.
    """

    def __init__(self, print_line: Callable[[str], None]) -> None:
        self._print = print_line
        self._tasks: List[_Task] = []
        # Target of a session -> the task that it is connected to.
        self._targets: Dict[str, _Task] = {}
        # Graph -> its version and how many of its operations have been placed.
        self._placed: MutableMapping[Any, Tuple[int, int]] = weakref.WeakKeyDictionary()
        self._printed: Set[_Task] = set()

    def note_server(self, server: Any) -> None:
        """Records the tasks of the cluster of a tf.train.Server of this process."""
        if not prefers_own_task():
            return
        definition = server.server_def
        addresses = {_Task(job.name, index): job.tasks[index] for job in definition.cluster.job for index in job.tasks}
        # As TensorFlow sorts the names of devices.
        self._tasks = sorted(addresses, key=lambda task: (task.job, str(task.task_index)))
        self._targets.update({"grpc://" + address: task for task, address in addresses.items()})
        self._targets[tf.compat.as_text(server.target)] = _Task(definition.job_name, definition.task_index)

    def placer(self, target: str, graph: Any, config: Any) -> Optional[Callable[[], None]]:
        """Returns a function that places what was added to `graph` since its last call; None if it never has to.

        Args:
          target: what the session of the graph is connected to.
          config: its tf.ConfigProto: its device_filters are the tasks that it uses.
        """
        own = self._targets.get(target)
        filters = [tf.DeviceSpec.from_string(each) for each in config.device_filters]
        tasks = [task for task in self._tasks if not filters or any(task.fits(each) for each in filters)]
        if own is None or len(tasks) < 2:
            return None
        return lambda: self._place(graph, own, tasks)

    def _place(self, graph: Any, own: _Task, tasks: List[_Task]) -> None:
        version, count = self._placed.get(graph, (-1, 0))
        if graph.version == version:
            return
        operations = graph.get_operations()
        self._placed[graph] = graph.version, len(operations)
        local = _local_variables(graph)
        placed: Dict[_Task, List[str]] = {}
        for operation in operations[count:]:
            if not _is_shared(operation) or operation.name in local:
                continue
            device = tf.DeviceSpec.from_string(operation.device)
            first = next((task for task in tasks if task.fits(device)), own)
            if own.fits(device) and first != own:
                full = device.replace(job=first.job, task=first.task_index)
                default_graphs.set_device(operation, str(full.to_string()))
                placed.setdefault(first, []).append(operation.name)
        for task, names in placed.items():
            if task not in self._printed:
                self._printed.add(task)
                self._print("tf.device names no task for {}: on /job:{}/task:{}, as on TensorFlow 1.15, so that all "
                            "workers share {}".format(quoted(names), *task, "it" if len(names) == 1 else "them"))


def _is_shared(operation: Any) -> bool:
    if operation.type in _VARIABLES:
        return True
    if operation.inputs or not any(part in operation.type for part in _SHARED_BY_NAME):
        return False
    return "shared_name" in operation.node_def.attr and bool(operation.get_attr("shared_name"))


def _local_variables(graph: Any) -> Set[str]:
    """Returns the names of the variables that are local alone."""
    keys = tf.GraphKeys.GLOBAL_VARIABLES, tf.GraphKeys.LOCAL_VARIABLES
    shared, local = ({each.op.name for each in graph.get_collection(key) if hasattr(each, "op")} for key in keys)
    return local - shared
