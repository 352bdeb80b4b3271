"""Staging around another way in: the next step's batches are on the towers' devices while this step runs.

    way in -> batches of step k+1 -> a staging area on each tower's device      (a thread, in runs of its own)
                                     the areas -> batches of step k -> towers   (the step)

Only Python waits. TensorFlow's blocked `get` and `put` can't be cancelled, not even by closing the session, so neither
is ever called where it could block: the areas have no limit, a count on the host says what they hold, and the step
reads the slot that it is told, without removing it. The run that stages a later step removes it. So a run that fetches
one tower's loss, or fails, leaves the towers in step; and a run that is only lent a batch doesn't lose it.
"""
import time
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, InputError
from legacy_towers.graph_walk import ancestors, operations_of
from legacy_towers.inputs.base import Input, InputHook, TowerBatches, host_device, rebuilt, scope_within
from legacy_towers.inputs.hook_group import HookGroup
from legacy_towers.inputs.sizes import check_positive
from legacy_towers.inputs.staging_thread import Puller, StagingThread
from legacy_towers.names import quoted, tower_scope
from legacy_towers.run_needs import RunNeeds


def staged(way_in: Input, ahead: int = 1) -> "StagedInput":
    """Returns the way in that brings the batches of another to the towers' devices ahead of their steps.

    The batches, their order and their number stay what they are without it. An error of the way in comes at the step
    whose batch it prevented. A run that needs no batch doesn't use one up: it is lent the next one, since another hook
    (SummarySaverHook) may fetch in it what needs a batch. A run that needs one uses up one of every tower, also if it
    fetches only one tower's loss, or fails. One run at a time.

    What the way in reads is read `ahead` steps early, and in a thread: a value that the caller feeds to it in the
    step's own run comes too late, and is refused.

    Args:
      way_in: any other way in, for example `lt.inputs.dataset(...)` or `lt.inputs.from_tensors(...)`.
      ahead: how many steps' batches are staged. Each device holds so many and two more.

    Raises:
      ArgumentError: `way_in` is no way in or is staged already, or `ahead` is no whole number of at least 1.
    """
    if not isinstance(way_in, Input):
        raise ArgumentError(
            "staged needs a way in, for example lt.inputs.dataset(...), not {}".format(type(way_in).__name__)
        )
    if way_in.refuses_staging:
        raise ArgumentError("this way in can't be staged: {}".format(way_in.refuses_staging))
    check_positive("ahead", ahead)
    return StagedInput(way_in, ahead)


class StagedInput(Input):
    """See `staged`."""

    refuses_staging = "it is staged already; give ahead=2 to stage two steps"

    def __init__(self, way_in: Input, ahead: int) -> None:
        self._way_in = way_in
        self._ahead = ahead

    def build(self, devices: Sequence[str]) -> TowerBatches:
        inner = self._way_in.build(devices)
        values = [tf.nest.flatten(batch, expand_composites=True) for batch in inner.per_tower]
        if inner.counts is not None:
            values = [tensors + [count] for tensors, count in zip(values, inner.counts)]
        values = [[tf.convert_to_tensor(value) for value in tensors] for tensors in values]
        areas = _areas(values, devices, slots=self._ahead + 2)
        per_tower, counts = [], []
        for tower, (batch, device) in enumerate(zip(inner.per_tower, devices)):
            tensors = list(areas.batches[tower])
            if inner.counts is not None:
                counts.append(tensors.pop())
            with tf.name_scope(_input_scope(tower)), tf.device(device):
                per_tower.append(rebuilt(batch, tensors))
        plan = inner.plan._replace(details=dict(
            inner.plan.details, staged="{} step{} ahead".format(self._ahead, "" if self._ahead == 1 else "s")
        ))
        return inner._replace(
            per_tower=per_tower,
            hooks=[StagingHook(inner.hooks, areas, self._ahead)],
            plan=plan,
            pulls=tuple(areas.reads),
            counts=counts if inner.counts is not None else None,
        )


class Areas(NamedTuple):
    """The towers' staging areas. Slot i of all towers holds one step's batches."""

    batches: List[List[Any]]  # per tower: the components in the slot that `slot` says
    slot: Any  # int64 scalar, fed: the slot that a step reads
    reads: List[Any]  # the operations that read it
    fills: List[Any]  # per slot: the operation that pulls a step's batches into it
    empties: List[List[Any]]  # per slot: the operations that remove what `fills` of the slot before it leaves behind
    clear: Any  # removes everything


def _input_scope(tower: int) -> str:
    return scope_within(tower_scope(tower) + "/input")


def _areas(values: Sequence[Sequence[Any]], devices: Sequence[str], slots: int) -> Areas:
    """Makes the staging areas for `values`, the components of each tower's batch."""
    scopes = [_input_scope(tower) for tower in range(len(devices))]
    with tf.name_scope("inputs"), tf.device(host_device(devices[0])):
        # Nothing is staged before every tower's batch is there: a pull succeeds for all towers, or changes nothing.
        complete = tf.group(*[value for tensors in values for value in tensors], name="complete")
        slot = tf.placeholder_with_default(tf.constant(-1, tf.int64), [], name="staged_slot")
        known = tf.raw_ops.Assert(condition=slot >= 0, data=[
            "no batch is staged for this run: run it in a MonitoredSession with the step's hooks, or by "
            "`with step.running(session) as run: run()`; at the end of the data there is none either"
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
    return Areas(
        batches, slot, reads, fills, [removals[(number + 1) % slots] for number in range(slots)], clear
    )


class StagingHook(InputHook):
    """Keeps steps staged in a thread, and tells each run that needs a batch which slot to read.

    It drives the hooks of the way in that is staged, in the thread's runs only. Its bytes are theirs; it waited where a
    run had to wait for a step to be staged. The thread starts in the first run, when all hooks have seen the session.
    """

    in_each_run = "tells all towers which of the staged batches to read"

    def __init__(self, hooks: Sequence[Any], areas: Areas, ahead: int) -> None:
        super().__init__()
        self._inner = HookGroup(hooks)
        self._areas = areas
        self._ahead = ahead
        self._thread: Optional[StagingThread] = None
        self._ended_by_half: Optional[StagingThread] = None  # whose last pull is still inside the session
        self._session: Any = None  # of the thread
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

    def after_create_session(self, session: Any, coord: Any) -> None:
        before = self._thread or self._ended_by_half
        if before is not None and not before.stop(session_goes_on=session is self._session):
            raise InputError("the way in still makes a batch of before: it can't start again meanwhile")
        self._ended_by_half = None
        self._session = session
        session.run(self._areas.clear)
        self._inner.after_create_session(session, coord)
        puller = _Puller(session, coord, self._inner, self._areas, self._ahead)
        self._thread = StagingThread(puller, self._ahead, session, coord)

    def before_run(self, run_context: Any) -> Any:
        """Returns which slot to read; raises tf.errors.OutOfRangeError at the end of data."""
        if self._thread is None:
            return None
        needed = self._needs(run_context)
        if needed:
            self._check(run_context)
        elif self._touches_source(run_context):
            return None  # it may fill the very queue that the next batch comes from, or start its iterator
        started = time.perf_counter()
        try:
            self._thread.start_if_new()
            slot = self._thread.take() if needed else self._thread.next_staged(wait=True)
        finally:
            self.waited_seconds += time.perf_counter() - started
            self.fed_bytes, self.copied_bytes = self._inner.total("fed_bytes"), self._inner.total("copied_bytes")
        return None if slot is None else tf.train.SessionRunArgs(None, {self._areas.slot: slot})

    def end(self, session: Any) -> None:
        if self._thread is not None and self._thread.stop():  # else the thread still uses the hooks
            thread, self._thread = self._thread, None
            self._inner.end(session)
            if thread.has_ended:
                session.run(self._areas.clear)
            else:
                # Its pull will remove a batch, and would wait for one that was cleared for ever. The session has them.
                self._ended_by_half = thread

    def _check(self, run_context: Any) -> None:
        original, graph = run_context.original_args, run_context.session.graph
        late = self._before.intersection(operations_of(list(original.feed_dict or {}), graph))
        if late:
            raise ArgumentError(
                "{} is fed in a run whose batch was staged earlier, and would change nothing: leave out "
                "lt.inputs.staged where you feed what the input reads".format(
                    quoted(sorted(operation.name for operation in late))
                )
            )
        if self._reads_placeholder(run_context):
            raise InputError(
                "the model reads a placeholder of the way in itself (one of {}), but what was fed to it is staged with "
                "the towers' batches: read it from the batch, or leave out lt.inputs.staged".format(
                    quoted(sorted(operation.name for operation in self._placeholders))
                )
            )


class _Puller(Puller):
    """Pulls one step's batches into the next free slot of a session, and removes the one that was used before."""

    def __init__(self, session: Any, coordinator: Optional[Any], hooks: HookGroup, areas: Areas, ahead: int) -> None:
        self._session = session
        self._coordinator = coordinator
        self._hooks = hooks
        self._pulled = 0
        self._unused = ahead + 1  # slots that hold nothing yet when they are reached
        self._steps: List[Tuple[Any, Any, Any]] = []
        for fill, empty in zip(areas.fills, areas.empties):
            both = [fill] + empty
            # Without feeds a callable costs a third of session.run.
            make_callable = getattr(session, "make_callable", None)
            self._steps.append((fill, both, None if make_callable is None else make_callable(both)))

    def __call__(self) -> int:
        """Returns the slot."""
        slot = self._pulled % len(self._steps)
        fill, both, call = self._steps[slot]
        operations = both if self._pulled >= self._unused else [fill]
        context = tf.train.SessionRunContext(tf.train.SessionRunArgs(operations), self._session)
        request = self._hooks.before_run(context)
        values = tf.train.SessionRunValues(None, None, None)
        self.in_session = True
        try:
            if request is None and operations is both and call is not None:
                call()
            elif request is None:
                self._session.run(operations)
            else:
                metadata = None if request.options is None else tf.RunMetadata()
                _, results = self._session.run(
                    [operations, request.fetches or {}], request.feed_dict, request.options, metadata
                )
                values = tf.train.SessionRunValues(results, request.options, metadata)
        finally:
            self.in_session = False
        self._pulled += 1
        if not self.stopped:
            self._hooks.after_run(context, values)
            if context.stop_requested and self._coordinator is not None:
                self._coordinator.request_stop()
        return slot
