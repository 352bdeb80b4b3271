"""What every way in is: something that builds one batch per tower, and says what must run beside the step."""
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.names import tower_scope


class InputPlan(NamedTuple):
    """What a way in decided, as plain values; `print` gives up to three lines."""

    way: str  # "feed", "queue", "dataset", "from_dataset", ...
    route: Optional[str]  # "split", "next_per_tower", "sharded"; None where there is only one
    order: str  # "fixed" or "any"
    per_tower_batch_size: Optional[int]  # examples; None where only the running graph knows
    global_batch_size: Optional[int]  # examples of all towers in a step
    epochs: Optional[int]  # None: for ever, or not known
    examples: Optional[int]  # in one epoch; None where nobody counted them
    source: str
    details: Dict[str, Any]
    seed: Optional[int] = None  # of the mixed order; None where it isn't mixed, or otherwise each time
    shares: Tuple[str, ...] = ()  # per tower, which examples it gets; () where nobody knows
    lasts: str = ""  # instead of epochs and examples: "as long as the dataset"

    def __str__(self) -> str:
        name = self.way if self.route is None else "{}:{}".format(self.way, self.route)
        count = "examples" if self.examples is None else "{:,} examples".format(self.examples)
        length = self.lasts or "{} of {}".format(self._epochs(), count)
        line = "{}, order {}, {}, {} from {}".format(name, self.order, self._sizes(), length, self.source)
        details = "; ".join("{}: {}".format(key.replace("_", " "), self.details[key]) for key in self.details)
        return "\n  ".join(part for part in (line, details, self._shares()) if part)

    def _shares(self) -> str:
        """Returns what the towers get, once where it is the same, else for the first two and the last of them."""
        if len(self.shares) > 1 and len(set(self.shares)) == 1:
            return "each tower: " + self.shares[0]
        told = ["tower {}: {}".format(tower, share) for tower, share in enumerate(self.shares)]
        return "; ".join(told if len(told) < 4 else told[:2] + ["...", told[-1]])

    def _sizes(self) -> str:
        if self.per_tower_batch_size is None or self.global_batch_size is None:
            return "batches as they come"
        return "{} examples per tower, {} per step".format(self.per_tower_batch_size, self.global_batch_size)

    def _epochs(self) -> str:
        if self.epochs is None:
            return "endless epochs"
        return "{} epoch{}".format(self.epochs, "" if self.epochs == 1 else "s")


class TowerBatches(NamedTuple):
    """What `Input.build` gives."""

    per_tower: List[Any]  # a nested structure of tensors per tower, each on its tower's device
    hooks: List[Any]  # tf.train.SessionRunHook: what must run beside the train op
    plan: InputPlan
    pulls: Tuple[Any, ...] = ()  # operations of the step that wait for data: dequeue, get_next, unstage
    counts: Optional[List[Any]] = None  # int32 scalar per tower: its true examples; None where batches are always full
    modes: Optional[List[str]] = None  # per tower: lt.TRAIN or lt.EVAL; None where all towers train
    padded: bool = False  # True for remainder="pad": rows from `counts` on are copies, so losses come one per example
    shared_by_towers: bool = False  # True where the towers get the same examples on purpose: no check
    shared: Tuple[Any, ...] = ()  # tensors that all towers are meant to read, such as a fed table of weights


class InputHook(tf.train.SessionRunHook):
    """The base of hooks that make or wait for a step's data in Python, before the run.

    Attributes:
      in_each_run: what it does in each run that needs a batch, after "it"; "" for nothing that a run can't do without.
        Towers that run apart from each other, as asynchronous ones do, can't have a hook that does.
      waited_seconds: how long runs were held up for data so far, since the hook was made.
      fed_bytes: bytes of the arrays that were fed so far.
      copied_bytes: bytes of them that were copied beforehand, since they weren't aligned or could be held.
    """

    in_each_run = ""

    def __init__(self) -> None:
        self.waited_seconds = 0.0
        self.fed_bytes = 0
        self.copied_bytes = 0


class Input:
    """A way in. A subclass says in `build` how each tower gets its own examples.

    Attributes:
      refuses_staging: why `lt.inputs.staged` can't go around it, "" if it can.
    """

    refuses_staging = ""

    def build(self, devices: Sequence[str]) -> TowerBatches:
        """Makes the operations in the default graph.

        Args:
          devices: one device string per tower.

        Returns:
          The towers' batches, the hooks and the plan. At the end of data a run raises `tf.errors.OutOfRangeError`.
        """
        raise NotImplementedError

    def build_apart(self, devices: Sequence[str]) -> TowerBatches:
        """Makes the operations so that a tower takes its batch alone, in a run of its own, where the way in allows it.

        Whether it does, `check_apart` finds in what was built. An epoch has each example once all the same, but there
        are no steps of all towers: the last batches that don't fill are a tower's own, and no tower computes copies
        because others still have data.

        Args:
          devices: one device string per tower.

        Returns:
          As `build`. At the end of a tower's data its run raises `tf.errors.OutOfRangeError`.
        """
        return self.build(devices)


def host_device(device: str) -> str:
    """Returns the first CPU of the machine of `device`: "/job:ps/task:1/gpu:3" -> "/job:ps/task:1/device:CPU:0".

    Queues, readers and iterators stand there: TF 2.21 refuses a queue with a reader under a GPU's scope.
    """
    spec = tf.DeviceSpec.from_string(device)
    host = tf.DeviceSpec(job=spec.job, replica=spec.replica, task=spec.task, device_type="CPU", device_index=0)
    return host.to_string()


def scope_within(scope: str) -> str:
    """Returns `scope` within the current name scope, for `tf.name_scope`, which then enters it as it is.

    By the closing slash no name is taken: the model function finds its own "tower_0" still free.
    """
    outer = tf.get_default_graph().get_name_scope()
    return "{}{}/".format(outer + "/" if outer else "", scope)


def with_static_shape(value: Any, shape: Any) -> Any:
    """Returns the sparse tensor `value` so that the graph knows the sizes of its axes that `shape` knows."""
    if shape.ndims is None:
        return value
    known = [None] * shape.ndims if value.shape.ndims is None else value.shape.as_list()
    if known == shape.as_list():
        return value
    sizes = [value.dense_shape[axis] if size is None else size for axis, size in enumerate(shape.as_list())]
    dense_shape = tf.stack([tf.cast(size, tf.int64) for size in sizes]) if sizes else value.dense_shape
    return tf.SparseTensor(value.indices, value.values, dense_shape)


def onto_tower(batch: Any, tower: int, device: str) -> Any:
    """Brings each component of `batch` to the tower's device, by an identity in the tower's name scope.

    Needed because `iterator.get_next()` under `tf.device` stays on the iterator's device from TF 2 on.
    """
    with tf.name_scope(scope_within(tower_scope(tower) + "/input")), tf.device(device):
        tensors = [tf.identity(tensor) for tensor in tf.nest.flatten(batch, expand_composites=True)]
        return rebuilt(batch, tensors)


def rebuilt(batch: Any, tensors: Sequence[Any]) -> Any:
    """Returns a batch like `batch` of other tensors, which come as `tf.nest.flatten(expand_composites=True)` has them.

    A sparse component keeps the sizes that the graph knows.
    """
    moved = tf.nest.flatten(tf.nest.pack_sequence_as(batch, list(tensors), expand_composites=True))
    for index, component in enumerate(tf.nest.flatten(batch)):
        if isinstance(component, tf.SparseTensor):
            moved[index] = with_static_shape(moved[index], component.shape)
    return tf.nest.pack_sequence_as(batch, moved)
