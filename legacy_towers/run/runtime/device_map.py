"""Maps the GPUs that a script names to this machine's GPUs, or to logical CPU devices."""
import collections
import weakref
from typing import Any, Counter, Dict, Iterable, List, MutableMapping, NamedTuple, Optional, Sequence, Set, Tuple

from legacy_towers.compat import tf
from legacy_towers.compat.patches import default_graphs, default_sessions
from legacy_towers.devices import short_name
from legacy_towers.run.runtime.current import RuntimeOptions

# Parts of the op types of queues and readers: FIFOQueueV2, QueueDequeueV2, TFRecordReaderV2, ReaderReadV2, ...
_QUEUES = ("Queue", "Reader")
# Parts of the op types of iterators, which have GPU kernels but must be used on the device that they were created on,
# and of datasets, which TensorFlow 2 colocates with their iterators.
_ITERATORS = ("Iterator", "Dataset")


class _Mapping(NamedTuple):
    device: str  # a full device string
    queue_device: str  # the same for ops of queues and readers
    iterator_device: str  # the same for ops of iterators and datasets
    cpu: int  # the index of the CPU device; 0 for a GPU


class DeviceMap:
    """Maps each device that a script requests to a device that exists.

        no GPU                       /gpu:2 is /cpu:2, a logical CPU device
        no GPU, num_devices=2        /gpu:2 is /cpu:0
        2 GPUs                       /gpu:2 is /gpu:0, which /gpu:0 and /gpu:2 share
        soft                         /gpu:2 is unchanged, and TensorFlow places its operations
        towers_device="/cpu:0"       /gpu:2 is /cpu:0

    Queues and readers are always placed on /cpu:0, iterators if towers are on CPUs; see `on_cpu_0`. Job, replica and
    task are unchanged, as are other operations on CPUs. GPUs are counted when the script first requests one: it may
    set CUDA_VISIBLE_DEVICES before.

    Args:
      options: its soft, towers_device and num_devices are used.
      counted: (requested device, device) -> number of operations; kept up to date.
    """

    def __init__(self, options: RuntimeOptions, counted: Optional[Counter[Tuple[str, str]]] = None) -> None:
        self._options = options
        self.counted: Counter[Tuple[str, str]] = collections.Counter() if counted is None else counted
        self._mappings: Dict[str, _Mapping] = {}
        # Device of a strategy -> the device that the script requested for it.
        self._requested: Dict[str, str] = {}
        # (requested device, op type) -> device
        self._devices: Dict[Tuple[str, str], str] = {}
        # Graph -> how many of its operations `place_graph` has placed.
        self._placed: MutableMapping[Any, int] = weakref.WeakKeyDictionary()
        self.known_gpus: Optional[int] = None
        self._reported: Set[str] = set()
        self._cpus = 1
        # The error message if an option names a device that does not exist.
        self.problem: Optional[str] = None

    def place(self, operation: Any) -> int:
        """Sets the device of `operation`, which requests one; returns the index of its CPU device, 0 for a GPU."""
        requested, op_type = operation.device, operation.type
        mapping = self._mappings.get(requested)
        if mapping is None:
            mapping = self._mappings[requested] = self._map(requested)
            self._cpus = max(self._cpus, mapping.cpu + 1)
        device = self._devices.get((requested, op_type))
        if device is None:
            device = self._devices[requested, op_type] = _for_op_type(op_type, mapping)
        if device != requested:
            default_graphs.set_device(operation, device)
        self.counted[self._requested.get(requested, requested), device] += 1
        return mapping.cpu

    def place_graph(self, graph: Any) -> None:
        """Sets the devices of the operations that were added to `graph` since the last call."""
        operations = graph.get_operations()
        for operation in operations[self._placed.get(graph, 0):]:
            if operation.device:
                self.place(operation)
        self._placed[graph] = len(operations)

    def note_devices(self, requested: Iterable[str]) -> None:
        """Makes sessions that are created from now on have the devices that `requested` are mapped to."""
        for device in requested:
            self._cpus = max(self._cpus, self._map(device).cpu + 1)

    def of_strategy(self, requested: Sequence[str]) -> List[str]:
        """Returns the devices for the replicas of a tf.distribute strategy, which must differ.

        A strategy finds a replica's part of a variable by the device of an operation on TensorFlow 1.15, and chooses
        by the names of its devices how it reduces gradients: it gets the devices that exist. If replicas share a
        device, it gets `requested`, and their operations are mapped one by one.
        """
        given = {each: self._map(each) for each in requested}
        if len({mapping.device for mapping in given.values()}) < len(given):
            return list(requested)
        for each, mapping in given.items():
            if mapping.device != each:
                full = tf.DeviceSpec.from_string(mapping.device).replace(replica=0, task=0)
                self._mappings[each] = mapping
                self._requested[str(full.to_string())] = each
        return [given[each].device for each in requested]

    def _map(self, requested: str) -> _Mapping:
        spec = tf.DeviceSpec.from_string(requested)
        if spec.device_type != "GPU":
            index = (spec.device_index or 0) if spec.device_type == "CPU" else 0
            # TensorFlow 2 creates a queue in a scope "CPU": under /gpu:1 that is /cpu:1.
            return _Mapping(requested, on_cpu_0(requested) if index else requested, requested, index)
        mapped = self._mapped_spec(spec)
        device = requested if mapped == spec else mapped.to_string()
        if mapped.device_type == "GPU":
            return _Mapping(device, on_cpu_0(requested), device, 0)
        return _Mapping(device, on_cpu_0(requested), on_cpu_0(requested), mapped.device_index)

    def _mapped_spec(self, spec: Any) -> Any:
        if self._options.soft:
            return spec
        index = spec.device_index or 0
        if self._options.towers_device is not None:
            device = tf.DeviceSpec.from_string(self._options.towers_device)
            if device.device_type == "GPU" and device.device_index >= self.gpus():
                self.problem = "--towers-device {}: this machine has {}".format(
                    self._options.towers_device, self._counted_gpus()
                )
            return spec.replace(device_type=device.device_type, device_index=device.device_index)
        spread = self._options.num_devices
        if not self.gpus():
            return spec.replace(device_type="CPU", device_index=index % spread if spread else index)
        if spread and spread > self.gpus():
            self.problem = "--num-devices {}: this machine has {}".format(spread, self._counted_gpus())
        count = min(spread or self.gpus(), self.gpus())
        return spec if index < count else spec.replace(device_index=index % count)

    def logical_cpus(self) -> int:
        """Returns the number of CPU devices that a session needs if it is created now."""
        by_options = 1
        if self._options.num_devices and not self.gpus():
            by_options = self._options.num_devices
        elif self._options.towers_device:
            device = tf.DeviceSpec.from_string(self._options.towers_device)
            by_options = device.device_index + 1 if device.device_type == "CPU" else 1
        if self._options.towers and not self.gpus():
            by_options = max(by_options, len(set(self.tower_devices())))
        return max(self._cpus, by_options)

    def tower_devices(self) -> List[str]:
        """Returns the device of each tower of --towers, mapped like the GPUs that a script names."""
        specs = (tf.DeviceSpec.from_string("/device:GPU:{}".format(each)) for each in range(self._options.towers or 0))
        if self._options.soft:
            return [spec.to_string() for spec in specs]
        return [str(self._mapped_spec(spec).to_string()) for spec in specs]

    def gpus(self) -> int:
        """Returns the number of GPUs that TensorFlow sees."""
        if self.known_gpus is None:
            self.known_gpus = default_sessions.gpu_count()
        return self.known_gpus

    def _counted_gpus(self) -> str:
        return "{} GPU{}".format(self.gpus() or "no", "s" if self.gpus() > 1 else "")

    def new_mappings(self) -> List[str]:
        """Returns a sentence about the devices mapped since the last call; an empty list if there is none."""
        if self.problem is not None:
            return []
        mapped: Dict[str, str] = {}
        for requested in sorted(set(requested for requested, _ in self.counted), key=_by_number):
            spec = tf.DeviceSpec.from_string(requested)
            if spec.device_type != "GPU" or requested in self._reported:
                continue
            device = self._mappings[requested].device
            if device != requested or self._options.soft and (spec.device_index or 0) >= self.gpus():
                mapped[requested] = device
        self._reported.update(mapped)
        if not mapped:
            return []
        names = [short_name(requested) for requested in mapped]
        if self._options.soft:
            return ["--soft: this machine has {}; TensorFlow places the operations of {}".format(
                self._counted_gpus(), _listed(names)
            )]
        targets = list(collections.OrderedDict.fromkeys(short_name(device) for device in mapped.values()))
        reason = "--towers-device" if self._options.towers_device else "this machine has " + self._counted_gpus()
        logical = all("/cpu:" in target for target in targets) and not self._options.towers_device
        kind = "" if not logical else "the logical CPU device " if len(targets) == 1 else "the logical CPU devices "
        verb = "is" if len(names) == 1 else "are"
        return ["{}: {} {} {}{}".format(reason, _listed(names), verb, kind, _listed(targets))]


def _for_op_type(op_type: str, mapping: _Mapping) -> str:
    if any(part in op_type for part in _QUEUES):
        return mapping.queue_device
    return mapping.iterator_device if any(part in op_type for part in _ITERATORS) else mapping.device


def on_cpu_0(device: str) -> str:
    """Returns the first CPU of the job and task of `device`.

    Queues and readers are placed there. TensorFlow 2 places a queue on the GPU of its device scope, and its reader,
    which has no GPU kernel, on the CPU; then it rejects the pair because the devices differ, with soft placement too.
    All versions reject a queue of file names that readers on several devices share, and an iterator handle that is
    used on another device than the iterator's.
    """
    return str(tf.DeviceSpec.from_string(device).replace(device_type="CPU", device_index=0).to_string())


def _by_number(device: str) -> Tuple[str, int]:
    head, _, number = device.rpartition(":")
    return (head, int(number)) if number.isdigit() else (device, 0)


def _listed(names: List[str]) -> str:
    if len(names) == 1:
        return names[0]
    if len(names) > 2 and _is_consecutive(names):
        return "{} to {}".format(names[0], names[-1])
    return "{} and {}".format(", ".join(names[:-1]), names[-1])


def _is_consecutive(names: List[str]) -> bool:
    """Returns whether `names` are devices of one type with consecutive indices."""
    parts = [name.rpartition(":") for name in names]
    if any(head != parts[0][0] or not number.isdigit() for head, _, number in parts):
        return False
    first = int(parts[0][2])
    return [int(number) for _, _, number in parts] == list(range(first, first + len(parts)))
