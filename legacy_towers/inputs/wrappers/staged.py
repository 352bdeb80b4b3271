"""Staging: the batches of the next step are copied to the towers' devices while the current step runs.

    thread, in its own runs:   input pipeline -> batches of step k+1 -> a staging area on each tower's device
    train step:                                                         staging areas -> batches of step k -> towers

Only Python waits. A blocked `get` or `put` of TensorFlow can't be cancelled, not even by closing the session, so
neither is called when it could block: the areas have unlimited capacity, Python counts their batches, and the step
reads the slot that it is fed, without removing it. The run that stages a later step removes it. Therefore a run that
fetches one tower's loss, or fails, keeps the towers at the same step, and a run that does not need a batch does not
consume one.
"""
import time
from typing import Any, List, NamedTuple, Optional, Sequence

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, InputError
from legacy_towers.graph.walk import RunNeeds, ancestors, operations_of
from legacy_towers.inputs.base import Input, InputHook, TowerBatches, host_device, pack_like, scope_within
from legacy_towers.inputs.checked_feed import CheckedFeed
from legacy_towers.inputs.feeds.aligned import aligned_empty
from legacy_towers.inputs.hook_group import HookGroup
from legacy_towers.inputs.record_files import explaining
from legacy_towers.inputs.wrappers.slot_stager import SlotStager
from legacy_towers.inputs.wrappers.staging_thread import StagingThread
from legacy_towers.specs.batch_sizes import check_positive
from legacy_towers.tensor_types import Coordinator, Session, SessionRunHook
from legacy_towers.text.names import quoted, tower_scope

# tests/benchmarks/staging.py measures it.
DOES_NOT_PAY = (
    "does not pay on these devices: all towers are CPUs of one machine, so no batch has to be copied to them in advance"
)


def staged(pipeline: Input, ahead: int = 1) -> "StagedInput":
    """Wraps an input pipeline: copies its batches to the towers' devices `ahead` steps before they are used.

        time     |  run of step 0    |  run of step 1    |  run of step 2    |
        device   |  uses batch 0     |  uses batch 1     |  uses batch 2     |
        thread   |  stages batch 1   |  stages batch 2   |  stages batch 3   |

        inputs = lt.inputs.staged(lt.inputs.dataset(examples, per_tower_batch_size=32))

    The batches, their order and their number don't change. An error of the pipeline is raised in the step whose batch
    is missing. A run that needs a batch consumes one of every tower, also if it fetches only one tower's loss, or
    fails. A run that needs none consumes none, but can read the next one, since another hook (SummarySaverHook) may add
    fetches that need a batch. Only one run at a time is supported.

    On CPUs of one machine nothing is gained, and each step costs another run of the session; the plan says so.

    The pipeline is read `ahead` steps early, in a thread. A value that the caller feeds to it in the run of the step
    would come too late, and is an error.

    Args:
      pipeline: any other `lt.inputs.Input`, for example `lt.inputs.dataset(...)` or `lt.inputs.from_tensors(...)`.
      ahead: number of steps whose batches are staged. Each device holds the batches of `ahead` + 2 steps.

    Raises:
      ArgumentError: `pipeline` is not an input pipeline, or can't be staged, as one that is staged already; or `ahead`
        is not a whole number of at least 1.
    """
    if not isinstance(pipeline, Input):
        raise ArgumentError(
            "pipeline must be an lt.inputs.Input, got {}; create one with lt.inputs.dataset(...), for example".format(
                type(pipeline).__name__
            )
        )
    if pipeline.refuses_staging:
        raise ArgumentError("this input pipeline can't be staged: {}".format(pipeline.refuses_staging))
    check_positive("ahead", ahead)
    return StagedInput(pipeline, ahead)


class StagedInput(Input):
    """The input pipeline of `staged`."""

    refuses_staging = "it is staged already; give ahead=2 to stage two steps"

    def __init__(self, pipeline: Input, ahead: int) -> None:
        self._pipeline_in = pipeline
        self._ahead = ahead

    def build(self, devices: Sequence[str]) -> TowerBatches:
        inner = self._pipeline_in.build(devices)
        values = [tf.nest.flatten(batch, expand_composites=True) for batch in inner.per_tower]
        if inner.counts is not None:
            values = [tensors + [count] for tensors, count in zip(values, inner.counts)]
        if inner.ids:
            values = [tensors + [own] for tensors, own in zip(values, inner.ids)]
        values = [[tf.convert_to_tensor(value) for value in tensors] for tensors in values]
        areas = _areas(values, devices, slots=self._ahead + 2)
        per_tower, counts, ids = [], [], []
        for tower, (batch, device) in enumerate(zip(inner.per_tower, devices)):
            tensors = list(areas.batches[tower])
            if inner.ids:
                ids.append(tensors.pop())
            if inner.counts is not None:
                counts.append(tensors.pop())
            with tf.name_scope(_input_scope(tower)), tf.device(device):
                per_tower.append(pack_like(batch, tensors))
        # The thread has one more step, which waits for a free slot.
        ahead = None if inner.plan.steps_ahead is None else inner.plan.steps_ahead + self._ahead + 1
        staged_steps = "{} step{} ahead".format(self._ahead, "" if self._ahead == 1 else "s")
        details = dict(inner.plan.details, staged=staged_steps)
        if _are_one_host(devices):
            details["staging"] = DOES_NOT_PAY
        plan = inner.plan._replace(steps_ahead=ahead, details=details)
        return inner._replace(
            per_tower=per_tower,
            hooks=[StagingHook(inner.hooks, areas, self._ahead)],
            plan=plan,
            input_ops=tuple(areas.reads),
            counts=counts if inner.counts is not None else None,
            ids=tuple(ids),
        )


class StagingAreas(NamedTuple):
    """The towers' staging areas. Slot i of all towers contains the batches of one step."""

    batches: List[List[Any]]  # per tower: the components in the slot `slot`
    slot: Any  # int64 scalar, fed: the slot that a step reads
    reads: List[Any]  # the operations that read it
    fills: List[Any]  # per slot: the operation that takes a step's batches and stages them
    empties: List[List[Any]]  # per slot: the operations that remove the batches of the next slot, which have been used
    clear: Any  # removes everything


def _are_one_host(devices: Sequence[str]) -> bool:
    """Returns whether all devices are CPUs of one machine, whose memory the input pipeline writes its batches to."""
    types = {tf.DeviceSpec.from_string(device).device_type for device in devices}
    return types == {"CPU"} and len({host_device(device) for device in devices}) == 1


def _input_scope(tower: int) -> str:
    return scope_within(tower_scope(tower) + "/input")


def _areas(values: Sequence[Sequence[Any]], devices: Sequence[str], slots: int) -> StagingAreas:
    """Creates the staging areas for `values`, the components of each tower's batch."""
    scopes = [_input_scope(tower) for tower in range(len(devices))]
    with tf.name_scope("inputs"), tf.device(host_device(devices[0])):
        # Nothing is staged before all towers' batches exist: staging succeeds for all towers, or changes nothing.
        complete = tf.group(*[value for tensors in values for value in tensors], name="complete")
        slot = tf.placeholder_with_default(tf.constant(-1, tf.int64), [], name="staged_slot")
        known = tf.raw_ops.Assert(condition=slot >= 0, data=[
            "no batch is staged for this run: use a MonitoredSession with the step's hooks, or "
            "`with step.running(session) as run: run()`; at the end of the data no batch is staged either"
        ])
        with tf.control_dependencies([known]):
            read_slot = tf.identity(slot)
        numbers = [tf.constant(number, tf.int64) for number in range(slots)]
    name = tf.get_default_graph().unique_name("staging_area")
    batches, reads, clears = [], [], []
    puts: List[List[Any]] = [[] for _ in range(slots)]
    removals: List[List[Any]] = [[] for _ in range(slots)]
    for tower, (tensors, device) in enumerate(zip(values, devices)):
        indices = list(range(len(tensors)))
        area = {
            "dtypes": [tensor.dtype.base_dtype for tensor in tensors],
            "shared_name": "{}_tower_{}".format(name, tower),
        }
        with tf.name_scope("inputs"), tf.device(device), tf.control_dependencies([complete]):
            for number, key in enumerate(numbers):
                puts[number].append(tf.raw_ops.MapStage(key=key, indices=indices, values=tensors, **area))
                removals[number].append(tf.raw_ops.MapUnstage(key=key, indices=indices, **area)[0].op)
        with tf.name_scope(scopes[tower]), tf.device(device):
            clears.append(tf.raw_ops.MapClear(**area))
            read = tf.raw_ops.MapPeek(key=read_slot, indices=indices, **area)
        for tensor, original in zip(read, tensors):
            tensor.set_shape(original.shape)
        batches.append(list(read))
        reads.append(read[0].op)
    with tf.name_scope("inputs"):
        fills = [tf.group(*of_slot) for of_slot in puts]
        clear = tf.group(*clears)
    return StagingAreas(
        batches, slot, reads, fills, [removals[(number + 1) % slots] for number in range(slots)], clear
    )


class StagingHook(InputHook):
    """Stages steps in a thread, and feeds each run that needs a batch the slot to read.

    The hooks of the staged pipeline are called in the thread's runs only. `fed_bytes` and `copied_bytes` are theirs;
    `waited_seconds` is the time that runs wait for a staged step. The thread starts in the first run, after all hooks
    have seen the session.
    """

    per_run_action = "feeds the slot of the staged batches for all towers"

    def __init__(self, hooks: Sequence[SessionRunHook], areas: StagingAreas, ahead: int) -> None:
        super().__init__()
        self._inner = HookGroup(hooks)
        self._areas = areas
        self._ahead = ahead
        self._thread: Optional[StagingThread] = None
        self._unfinished: Optional[StagingThread] = None  # whose last run is still inside the session
        self._session: Any = None  # of the thread
        # Per slot the feed of a run that reads it. The arrays are never written again.
        self._feeds: List[CheckedFeed] = []
        for number in range(len(areas.fills)):
            array = aligned_empty([], np.int64)
            array[...] = number
            self._feeds.append(CheckedFeed({areas.slot: array}))
        graph = areas.slot.graph
        before = ancestors(areas.fills, graph=graph)
        self._before = frozenset(before)
        self._needs = RunNeeds(areas.reads)
        self._touches_source = RunNeeds(
            operation for operation in before if operation.op_def is not None and operation.op_def.is_stateful
        )
        self._placeholders = [operation for operation in before if operation.type == "Placeholder"]
        self._reads_placeholder = RunNeeds(self._placeholders)

    def begin(self) -> None:
        self._inner.begin()

    def after_create_session(self, session: Session, coord: Coordinator) -> None:
        previous = self._thread or self._unfinished
        if previous is not None and not previous.stop(session_continues=session is self._session):
            raise InputError(
                "the input pipeline still computes a batch for the last session, so it can't be restarted now"
            )
        self._unfinished = None
        self._session = session
        session.run(self._areas.clear)
        self._inner.after_create_session(session, coord)
        stager = SlotStager(session, coord, self._inner, self._areas.fills, self._areas.empties, self._ahead)
        self._thread = StagingThread(stager, self._ahead, session, coord)

    def before_run(self, run_context: Any) -> Any:
        """Returns the feed of the slot to read; raises tf.errors.OutOfRangeError at the end of the data."""
        if self._thread is None:
            return None
        needed = self._needs(run_context)
        if needed:
            self._check(run_context)
        elif self._touches_source(run_context):
            return None  # it may fill the queue that the next batch comes from, or initialize its iterator
        started = time.perf_counter()
        try:
            self._thread.start_if_new()
            with explaining([self]):
                slot = self._thread.take() if needed else self._thread.next_staged(wait=True)
        finally:
            self.waited_seconds += time.perf_counter() - started
            self.fed_bytes, self.copied_bytes = self._inner.total("fed_bytes"), self._inner.total("copied_bytes")
        return None if slot is None else tf.train.SessionRunArgs(None, self._feeds[slot])

    def end(self, session: Session) -> None:
        if self._thread is not None and self._thread.stop():  # otherwise the thread still uses the hooks
            thread, self._thread = self._thread, None
            self._inner.end(session)
            if thread.has_ended:
                session.run(self._areas.clear)
            else:
                # Its last run removes a batch, and would block forever if the areas were cleared before.
                self._unfinished = thread

    def explain(self, error: BaseException) -> Optional[BaseException]:
        """Returns an error that names the file and the record of `error`; None if it comes from no record."""
        return self._inner.explain(error)

    def _check(self, run_context: Any) -> None:
        original, graph = run_context.original_args, run_context.session.graph
        late = self._before.intersection(operations_of(list(original.feed_dict or {}), graph))
        if late:
            raise ArgumentError(
                "{} is fed in a run whose batch was staged earlier, so the fed value has no effect: leave "
                "lt.inputs.staged out if you feed what the input pipeline reads".format(
                    quoted(sorted(operation.name for operation in late))
                )
            )
        if self._reads_placeholder(run_context):
            raise InputError(
                "the model reads a placeholder of the input pipeline (one of {}), but its values are staged with the "
                "towers' batches: read them from the batch, or leave lt.inputs.staged out".format(
                    quoted(sorted(operation.name for operation in self._placeholders))
                )
            )
