"""Where the operations go that a script puts on GPUs: on this machine's GPUs, or on logical CPU devices."""
import collections
from typing import Any, Counter, Dict, List, NamedTuple, Optional, Tuple

from legacy_towers.compat import script_graph, script_session, tf
from legacy_towers.devices import short_name
from legacy_towers.oldtf.machine.machine import MachineOptions

# Words in the kinds of operations that keep something on the CPU for others, or take it from there: FIFOQueueV2,
# QueueDequeueV2, TFRecordReaderV2, ReaderReadV2, ...
_QUEUES = ("Queue", "Reader")
# The same for iterators, which have code for GPUs but must be taken on the device that they were made on, and for the
# datasets that TensorFlow 2 colocates them with.
_ITERATORS = ("Iterator", "Dataset")


class _Decision(NamedTuple):
    given: str  # a full device string
    for_queues: str  # the same for operations of queues and readers
    for_iterators: str  # and for those of iterators
    cpu: int  # the number of the CPU device that it is, 0 for a GPU


class DeviceMap:
    """Tells for each device that a script asks for which one it gets.

        no GPU here                  /gpu:2 is /cpu:2, a logical CPU device
        and num_devices=2            /gpu:2 is /cpu:0
        2 GPUs here                  /gpu:2 is /gpu:0, and shares it
        soft                         /gpu:2 stays, and TensorFlow places its operations
        towers_device="/cpu:0"       /gpu:2 is /cpu:0

    Queues and readers go to /cpu:0 in all cases, iterators where towers are on CPUs; see `on_cpu_0`. Job, replica and
    task stay; all else on CPUs stays. GPUs are looked for when the script first asks for one: it may set
    CUDA_VISIBLE_DEVICES before.

    Args:
      options: soft, towers_device and num_devices of it.
      counted: (device asked for, device given) -> number of operations; kept up to date.
    """

    def __init__(self, options: MachineOptions, counted: Optional[Counter[Tuple[str, str]]] = None) -> None:
        self._options = options
        self.counted: Counter[Tuple[str, str]] = collections.Counter() if counted is None else counted
        self._decided: Dict[str, _Decision] = {}
        # (device asked for, kind of operation) -> device given
        self._given: Dict[Tuple[str, str], str] = {}
        self.known_gpus: Optional[int] = None
        self._said: Dict[str, str] = {}
        self._cpus = 1
        # Why no session may be made.
        self.problem: Optional[str] = None

    def place(self, operation: Any) -> int:
        """Puts `operation`, which asks for a device, where it belongs; returns the number of its CPU, 0 for a GPU."""
        asked, kind = operation.device, operation.type
        decision = self._decided.get(asked)
        if decision is None:
            decision = self._decided[asked] = self._decide(asked)
            self._cpus = max(self._cpus, decision.cpu + 1)
        given = self._given.get((asked, kind))
        if given is None:
            given = self._given[asked, kind] = _of_kind(kind, decision)
        if given != asked:
            script_graph.set_device(operation, given)
        self.counted[asked, given] += 1
        return decision.cpu

    def _decide(self, asked: str) -> _Decision:
        spec = tf.DeviceSpec.from_string(asked)
        if spec.device_type != "GPU":
            index = (spec.device_index or 0) if spec.device_type == "CPU" else 0
            # TensorFlow 2 makes a queue in a scope "CPU": under /gpu:1 that is /cpu:1.
            return _Decision(asked, on_cpu_0(asked) if index else asked, asked, index)
        instead = self._instead_of(spec)
        given = asked if instead == spec else instead.to_string()
        if instead.device_type == "GPU":
            return _Decision(given, on_cpu_0(asked), given, 0)
        return _Decision(given, on_cpu_0(asked), on_cpu_0(asked), instead.device_index)

    def _instead_of(self, spec: Any) -> Any:
        if self._options.soft:
            return spec
        index = spec.device_index or 0
        if self._options.towers_device is not None:
            device = tf.DeviceSpec.from_string(self._options.towers_device)
            if device.device_type == "GPU" and device.device_index >= self.gpus():
                self.problem = "--towers-device {}: this machine has {}".format(
                    self._options.towers_device, self._gpus_in_words()
                )
            return spec.replace(device_type=device.device_type, device_index=device.device_index)
        spread = self._options.num_devices
        if not self.gpus():
            return spec.replace(device_type="CPU", device_index=index % spread if spread else index)
        if spread and spread > self.gpus():
            self.problem = "--num-devices {}: this machine has {}".format(spread, self._gpus_in_words())
        count = min(spread or self.gpus(), self.gpus())
        return spec if index < count else spec.replace(device_index=index % count)

    def logical_cpus(self) -> int:
        """Returns how many CPU devices a session needs that is made now."""
        asked_for = 1
        if self._options.num_devices and not self.gpus():
            asked_for = self._options.num_devices
        elif self._options.towers_device:
            device = tf.DeviceSpec.from_string(self._options.towers_device)
            asked_for = device.device_index + 1 if device.device_type == "CPU" else 1
        return max(self._cpus, asked_for)

    def gpus(self) -> int:
        """Returns how many GPUs TensorFlow sees."""
        if self.known_gpus is None:
            self.known_gpus = script_session.gpu_count()
        return self.known_gpus

    def _gpus_in_words(self) -> str:
        return "{} GPU{}".format(self.gpus() or "no", "s" if self.gpus() > 1 else "")

    def news(self) -> List[str]:
        """Returns a sentence about the devices mapped since the last call; empty where there is nothing to say."""
        if self.problem is not None:
            return []
        moved: Dict[str, str] = {}
        for asked in sorted(set(asked for asked, _ in self.counted), key=_by_number):
            spec = tf.DeviceSpec.from_string(asked)
            if spec.device_type != "GPU" or asked in self._said:
                continue
            decided = self._decided[asked].given
            if decided != asked or self._options.soft and (spec.device_index or 0) >= self.gpus():
                moved[asked] = decided
        self._said.update(moved)
        if not moved:
            return []
        names = [short_name(asked) for asked in moved]
        if self._options.soft:
            return ["--soft: this machine has {}; TensorFlow places the operations of {}".format(
                self._gpus_in_words(), _listed(names)
            )]
        places = list(collections.OrderedDict.fromkeys(short_name(given) for given in moved.values()))
        why = "--towers-device" if self._options.towers_device else "this machine has " + self._gpus_in_words()
        logical = all("/cpu:" in place for place in places) and not self._options.towers_device
        kind = "" if not logical else "the logical CPU device " if len(places) == 1 else "the logical CPU devices "
        return ["{}: {} {} {}{}".format(why, _listed(names), "is" if len(names) == 1 else "are", kind, _listed(places))]


def _of_kind(kind: str, decision: _Decision) -> str:
    if any(word in kind for word in _QUEUES):
        return decision.for_queues
    return decision.for_iterators if any(word in kind for word in _ITERATORS) else decision.given


def on_cpu_0(device: str) -> str:
    """Returns the first CPU of the job and task of `device`.

    Queues and readers live there. TensorFlow 2 places a queue on the GPU that it was built under, and its reader, which
    has no code for GPUs, on the CPU; then it refuses the two for being apart, with soft placement too. And all versions
    refuse a queue of file names that towers on several devices share, each with its own reader; and an iterator that
    is taken by its handle on another device than its own.
    """
    return str(tf.DeviceSpec.from_string(device).replace(device_type="CPU", device_index=0).to_string())


def _by_number(device: str) -> Tuple[str, int]:
    head, _, number = device.rpartition(":")
    return (head, int(number)) if number.isdigit() else (device, 0)


def _listed(names: List[str]) -> str:
    if len(names) == 1:
        return names[0]
    if len(names) > 2 and _is_row(names):
        return "{} to {}".format(names[0], names[-1])
    return "{} and {}".format(", ".join(names[:-1]), names[-1])


def _is_row(names: List[str]) -> bool:
    """Returns whether `names` are those of one kind, numbered without a gap."""
    parts = [name.rpartition(":") for name in names]
    if any(head != parts[0][0] or not number.isdigit() for head, _, number in parts):
        return False
    first = int(parts[0][2])
    return [int(number) for _, _, number in parts] == list(range(first, first + len(parts)))
