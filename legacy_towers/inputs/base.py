"""The interface of input pipelines: each builds one batch per tower, and the hooks that run with the step."""
import re
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.cluster.workers import Workers
from legacy_towers.compat import tf
from legacy_towers.data.skipping import SkippedRecords
from legacy_towers.errors import InputError
from legacy_towers.inputs.position import REFUSED, Position, Promise
from legacy_towers.tensor_types import NestedTensors, Operation, SessionRunHook, Tensor
from legacy_towers.text.documented_fields import documented_fields
from legacy_towers.text.names import counted, tower_scope

# Of more towers, `print(plan)` prints the first two and the last one, unless they read files of their own.
_MOST_SHARDS = 8


@documented_fields
class InputPlan(NamedTuple):
    """The decisions of an input pipeline as plain values. `print(plan)` prints them:

        dataset:split, order any, 4 examples per tower, 8 per step, 2 epochs of 64 examples from arrays (x)
          shuffle: none; prefetch: 2 steps; end: the last incomplete global batch is dropped
          tower 0: examples 0 to 3 of each step's 8
          tower 1: examples 4 to 7 of each step's 8
          resume: exact (the examples come in the order of the data)

    Attributes:
      pipeline: "feed", "queue", "dataset", "from_dataset", ...
      route: the route of tf.data, such as "split" or "sharded:files"; "background" for feeds with a thread; else None.
      order: "fixed" or "any".
      per_tower_batch_size: in examples; None if it is known only while the graph runs.
      global_batch_size: examples per step, of all towers.
      epochs: how often the data is read; None: repeated indefinitely, or unknown.
      examples: the number of examples in one epoch; None if they are not counted.
      source: a description of the data.
      details: name -> decision, such as "prefetch" -> "2 steps".
      seed: the seed of the shuffled order; None if it is not shuffled, or differs from run to run.
      shards: per tower, a description of its examples; () if unknown.
      lasts: printed instead of epochs and examples: "as long as it lasts".
      steps_ahead: the most steps whose batches are prepared early; None: unknown. Where TensorFlow fuses parsing and
        batching into one operation, that one may hold up to 16 batches besides.
      resume: what a run that resumes can rely on: "exact" (the same examples, in the same order, with the same values),
        "once per epoch" (each example once in each epoch) or "refused" (the input begins again).
      resume_reason: why, in a clause.
    """

    pipeline: str
    route: Optional[str]
    order: str
    per_tower_batch_size: Optional[int]
    global_batch_size: Optional[int]
    epochs: Optional[int]
    examples: Optional[int]
    source: str
    details: Dict[str, Any]
    seed: Optional[int] = None
    shards: Tuple[str, ...] = ()
    lasts: str = ""
    steps_ahead: Optional[int] = None
    resume: str = REFUSED
    resume_reason: str = "this input pipeline keeps no position"

    def __str__(self) -> str:
        name = self.pipeline if self.route is None else "{}:{}".format(self.pipeline, self.route)
        count = "examples" if self.examples is None else "{:,} examples".format(self.examples)
        length = self.lasts or "{} of {}".format(self._epochs(), count)
        line = "{}, order {}, {}, {} from {}".format(name, self.order, self.batch_sizes(), length, self.source)
        details = "; ".join("{}: {}".format(key.replace("_", " "), self.details[key]) for key in self.details)
        resume = "resume: {} ({})".format(self.resume, self.resume_reason)
        return "\n  ".join([part for part in (line, details) if part] + self._shard_lines() + [resume])

    def with_promise(self, promise: Promise) -> "InputPlan":
        """Returns the plan of a pipeline with this promise."""
        return self._replace(resume=promise.name, resume_reason=promise.reason)

    def _shard_lines(self) -> List[str]:
        """Returns the shards of all towers: one line if they are equal, the files of each, of many only some others."""
        if len(self.shards) > 1 and len(set(self.shards)) == 1:
            return ["each tower: " + self.shards[0]]
        lines = ["tower {}: {}".format(tower, shard) for tower, shard in enumerate(self.shards)]
        if len(lines) <= _MOST_SHARDS or self.route == "sharded:files":
            return lines
        return lines[:2] + ["... ({} towers alike)".format(len(lines) - 3), lines[-1]]

    def batch_sizes(self) -> str:
        """Returns the sizes of batches in words: `25 examples per tower, 100 per step`."""
        if self.per_tower_batch_size is None or self.global_batch_size is None:
            return "batches of unknown size"
        return "{} per tower, {} per step".format(counted(self.per_tower_batch_size, "example"), self.global_batch_size)

    def _epochs(self) -> str:
        if self.epochs is None:
            return "endless epochs"
        return "{} epoch{}".format(self.epochs, "" if self.epochs == 1 else "s")


@documented_fields
class TowerBatches(NamedTuple):
    """The result of `Input.build`: the towers' batches and everything that a train step needs with them.

    Attributes:
      per_tower: a nested structure of tensors per tower, each on its tower's device.
      hooks: tf.train.SessionRunHooks that have to run with the train op.
      plan: the decisions of the input pipeline.
      input_ops: operations that wait for data: dequeue, get_next, unstage.
      counts: an int32 scalar per tower: its examples without copies; None: all rows.
      modes: per tower: lt.TRAIN or lt.EVAL; None if all towers train.
      padded: remainder="pad": rows from `counts` on are copies; losses must be per example.
      shared_by_towers: whether all towers get the same examples on purpose, which turns off the check.
      shared: tensors that all towers read on purpose, such as a fed keep probability.
      position: where the pipeline is in its data; None if it can't know.
      ids: per tower that trains, int64 of shape [its examples without copies]: their ids, as `Examples.with_ids` has
        them; () where the position does not need them.
      skipped: the records that are skipped, since they can't be read or parsed; None where the first one is an error.
    """

    per_tower: List[NestedTensors]
    hooks: List[SessionRunHook]
    plan: InputPlan
    input_ops: Tuple[Operation, ...] = ()
    counts: Optional[List[Tensor]] = None
    modes: Optional[List[str]] = None
    padded: bool = False
    shared_by_towers: bool = False
    shared: Tuple[Tensor, ...] = ()
    position: Optional[Position] = None
    ids: Tuple[Tensor, ...] = ()
    skipped: Optional[SkippedRecords] = None


class InputHook(tf.train.SessionRunHook):
    """The base of hooks that prepare or wait for a step's batches in Python, before the run.

    Attributes:
      per_run_action: what the hook does in each run that needs a batch, to be read after "a hook that"; "" if a run
        works without it. Asynchronous towers, which run separately, can't have a hook with such an action.
      waited_seconds: seconds that runs have waited for data, since the hook was created.
      fed_bytes: bytes of the arrays that have been fed.
      copied_bytes: bytes of them that were copied before, because they were not aligned or could be retained.
    """

    per_run_action = ""

    def __init__(self) -> None:
        self.waited_seconds = 0.0
        self.fed_bytes = 0
        self.copied_bytes = 0


class Input:
    """An input pipeline. A subclass implements `build`, which gives each tower its own examples.

        class Constant(lt.inputs.Input):
            def build(self, devices):
                batches = [{"x": tf.fill([32], float(tower))} for tower in range(len(devices))]
                return lt.inputs.from_tensors(per_tower=batches).build(devices)

    Attributes:
      refuses_staging: the reason why `lt.inputs.staged` can't wrap it; "" if it can.
    """

    refuses_staging = ""

    def build(self, devices: Sequence[str]) -> TowerBatches:
        """Creates the operations in the default graph.

        Args:
          devices: one device string per tower, such as ["/gpu:0", "/gpu:1"].

        Returns:
          The towers' batches, the hooks and the plan. At the end of the data a run raises
          `tf.errors.OutOfRangeError`.
        """
        raise NotImplementedError

    def of_worker(self, workers: Workers) -> "Input":
        """Returns the pipeline of one worker of a cluster, whose `build` gives the worker's own towers their examples.

        Over all workers each step has the examples that the towers of one process would have.

        Args:
          workers: the workers, all with equally many towers, and which of them this is.

        Raises:
          InputError: this pipeline can't do that.
        """
        raise InputError(
            "workers of a cluster can't divide {} among themselves: use lt.inputs.dataset with the route 'split' or "
            "'sharded', or lt.inputs.from_tensors with tensors of this worker's own examples".format(
                _maker_of(self)
            )
        )

    def build_asynchronous(self, devices: Sequence[str]) -> TowerBatches:
        """Creates the operations for asynchronous towers, each of which takes its batches in its own runs.

        `legacy_towers.step.asynchronous.check_asynchronous_batches` checks whether the result allows that. An epoch
        has each example once, but there is no step of all towers: an incomplete last batch belongs to one tower, and no
        tower computes copies because other towers still have data.

        Args:
          devices: one device string per tower.

        Returns:
          The same as `build`. At the end of a tower's data its run raises `tf.errors.OutOfRangeError`.
        """
        return self.build(devices)


def _maker_of(pipeline: Input) -> str:
    """Returns the name by which a pipeline is made: "lt.inputs.from_queue" for FromQueue; a caller's by its own."""
    name = type(pipeline).__name__
    if not type(pipeline).__module__.startswith("legacy_towers.inputs."):
        return name
    words = re.findall("[A-Z][a-z]*", name)
    return "lt.inputs." + "_".join(word.lower() for word in words if word != "Input")


def host_device(device: str) -> str:
    """Returns the first CPU of the machine of `device`: "/job:ps/task:1/gpu:3" -> "/job:ps/task:1/device:CPU:0".

    Queues, readers and iterators are placed there: TF 2.21 refuses a queue with a reader in a GPU's device scope.
    """
    spec = tf.DeviceSpec.from_string(device)
    host = tf.DeviceSpec(job=spec.job, replica=spec.replica, task=spec.task, device_type="CPU", device_index=0)
    return host.to_string()


def scope_within(scope: str) -> str:
    """Returns `scope` inside the current name scope, with a slash at its end, for `tf.name_scope`.

    With the slash `tf.name_scope` re-enters the scope and makes no name unique, so that "tower_0" stays available for
    the model function.
    """
    outer = tf.get_default_graph().get_name_scope()
    return "{}{}/".format(outer + "/" if outer else "", scope)


def with_static_shape(value: Any, shape: Any) -> Any:
    """Returns the sparse tensor `value` with those sizes in its static shape that `shape` knows."""
    if shape.ndims is None:
        return value
    known = [None] * shape.ndims if value.shape.ndims is None else value.shape.as_list()
    if known == shape.as_list():
        return value
    sizes = [value.dense_shape[axis] if size is None else size for axis, size in enumerate(shape.as_list())]
    dense_shape = tf.stack([tf.cast(size, tf.int64) for size in sizes]) if sizes else value.dense_shape
    return tf.SparseTensor(value.indices, value.values, dense_shape)


def move_to_tower(batch: NestedTensors, tower: int, device: str) -> NestedTensors:
    """Copies each component of `batch` to the tower's device, by an identity in the tower's name scope.

    From TF 2 on `iterator.get_next()` stays on the iterator's device, whatever `tf.device` says.
    """
    with tf.name_scope(scope_within(tower_scope(tower) + "/input")), tf.device(device):
        tensors = [tf.identity(tensor) for tensor in tf.nest.flatten(batch, expand_composites=True)]
        return pack_like(batch, tensors)


def pack_like(batch: NestedTensors, tensors: Sequence[Tensor]) -> NestedTensors:
    """Returns a structure like `batch` of other tensors, in the order of `tf.nest.flatten(expand_composites=True)`.

    A sparse component keeps its static shape.
    """
    moved = tf.nest.flatten(tf.nest.pack_sequence_as(batch, list(tensors), expand_composites=True))
    for index, component in enumerate(tf.nest.flatten(batch)):
        if isinstance(component, tf.SparseTensor):
            moved[index] = with_static_shape(moved[index], component.shape)
    return tf.nest.pack_sequence_as(batch, moved)
