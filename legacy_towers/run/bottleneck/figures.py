"""Computes the parts of a step from the recorded session runs.

    |- run ------------------------------------|- Python ----|- another run -|- Python -|- run ...
    |- convert feeds -|- wait, compute --------|
    |- one cycle: from the start of a step's run to the start of the next ------------|

The step's run is the kind of run that takes most of the time. Times come from cycles without a traced run, since
tracing takes time; the traces give the shares of a run in which its ops wait for input or compute.
"""
import collections
import statistics
from typing import Any, Counter, Dict, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.graph.op_kinds import INPUT_OPS
from legacy_towers.graph.waits import find_waits
from legacy_towers.measure.overlap import merged
from legacy_towers.measure.step_ops import StepOp, step_ops
from legacy_towers.measure.waiting import traced_step, without
from legacy_towers.run.bottleneck.watch import Fed, Run

# Devices run one after the other if the sum of their compute times is below this multiple of the time in which any of
# them computes.
SERIAL = 1.2


class Feed(NamedTuple):
    """A tensor that each step feeds.

    Attributes:
      tensor: name of the tensor.
      size: bytes per step.
      converted: whether Python converts the value to an array in each step.
      copied: whether TensorFlow copies the array.
    """

    tensor: str
    size: int
    converted: bool
    copied: bool


class Figures(NamedTuple):
    """The parts of a step; times are means in milliseconds per step.

    Attributes:
      fetched: names of the tensors and operations that the step's run fetches.
      cycles: number of cycles that the times are means of.
      traces: number of traced runs that the shares are means of.
      step: time from the start of a step's run to the start of the next.
      run: time of the step's run.
      other: time of other session runs.
      python: time between session runs.
      converting: part of `run` that converts feeds to arrays.
      waiting: part of `run` in which an input op waits and no op computes.
      computing: part of `run` in which at least one op computes.
      devices: device -> the part of `run` in which it computes.
      input_ops: (name, time that it waits) of the input ops, the longest first.
      feeds: the tensors that each step feeds.
      others: (fetched names, time) of the other session runs, the longest first.
      serial: what makes the devices compute one after the other, as the graph shows it: "50% of the operations of ...";
        "" if they overlap, or nothing in the graph does.
    """

    fetched: Tuple[str, ...]
    cycles: int
    traces: int
    step: float
    run: float
    other: float
    python: float
    converting: float
    waiting: float
    computing: float
    devices: Dict[str, float]
    input_ops: List[Tuple[str, float]]
    feeds: List[Feed]
    others: List[Tuple[Tuple[str, ...], float]]
    serial: str = ""

    @property
    def is_serial(self) -> bool:
        """Whether several devices compute one after the other."""
        return len(self.devices) > 1 and sum(self.devices.values()) < SERIAL * self.computing

    @property
    def rest(self) -> float:
        """The rest of `run`: TensorFlow's overhead to start and end a run, and copies of feeds."""
        return max(0.0, self.run - self.converting - self.waiting - self.computing)


def of_runs(runs: Sequence[Run], warm_up: int) -> Figures:
    """Computes the figures of the session runs, without the first `warm_up` steps.

    Args:
      runs: the recorded session runs, in any order.
      warm_up: the number of first steps to leave out.

    Raises:
      ValueError: fewer than two steps are left, or none of them was traced.
    """
    fetched, thread = _step_kind(runs)
    own = [run for run in sorted(runs, key=lambda run: run.start) if run.thread == thread]
    at = [index for index, run in enumerate(own) if run.fetched == fetched][warm_up:]
    spans = [own[start:end] for start, end in zip(at, at[1:])]
    ends = [own[end].start for end in at[1:]]
    clean = [(span, end) for span, end in zip(spans, ends) if all(run.metadata is None for run in span)]
    if not clean:
        raise ValueError("too few steps")
    step = _mean([end - span[0].start for span, end in clean])
    run = _mean([span[0].end - span[0].start for span, _ in clean])
    other = _mean([sum(each.end - each.start for each in span[1:]) for span, _ in clean])
    traced = [own[index] for index in at if own[index].metadata is not None]
    shares = _shares(traced)
    if shares is None and own[at[0]].is_partial:
        raise ValueError("the steps of the script are partial runs (Session.partial_run), which TensorFlow can't trace")
    if shares is None:
        raise ValueError("no step was traced")
    inner = run - _mean([span[0].converting for span, _ in clean])
    figures = Figures(
        fetched, len(clean), len(traced), 1e3 * step, 1e3 * run, 1e3 * other, 1e3 * max(0.0, step - run - other),
        1e3 * (run - inner), 1e3 * inner * shares.waiting, 1e3 * inner * shares.computing,
        {device: 1e3 * inner * share for device, share in sorted(shares.devices.items())},
        [(name, 1e3 * inner * share) for name, share in shares.input_ops.most_common()],
        _feeds([span[0].fed for span, _ in clean]), _others([span[1:] for span, _ in clean]),
    )
    return figures._replace(serial=_serial(traced)) if figures.is_serial else figures


def _serial(traced: Sequence[Run]) -> str:
    """Returns which device waits for another, by the graph of the last traced run; "" if none does."""
    for run in reversed(traced):
        groups: Dict[str, List[Any]] = {}
        for op in step_ops(run.metadata.step_stats):
            try:
                groups.setdefault(op.device, []).append(run.graph.get_operation_by_name(op.name))
            except (KeyError, ValueError):  # TensorFlow added it
                continue
        for wait in find_waits(groups):
            return str(wait)
    return ""


def _step_kind(runs: Sequence[Run]) -> Tuple[Tuple[str, ...], int]:
    """Returns (fetched names, thread) of the kind of run that takes most time, of those that repeat."""
    spent: Counter[Any] = collections.Counter()
    times: Counter[Any] = collections.Counter()
    # An enqueue run blocks at a full queue as long as a step takes, and may run once per example.
    for run in [run for run in runs if run.counts] or runs:
        spent[run.fetched, run.thread] += run.end - run.start  # type: ignore[assignment]
        times[run.fetched, run.thread] += 1
    again = {kind: seconds for kind, seconds in spent.items() if times[kind] >= 3}
    if not again:
        raise ValueError("no session run was repeated three times")
    most = max(times[kind] for kind in again)
    # A run that occurs once in many steps, an evaluation for example, is not the step, however long it takes.
    return max((kind for kind in again if 2 * times[kind] >= most), key=lambda kind: again[kind])


class _Shares(NamedTuple):
    waiting: float
    computing: float
    devices: Dict[str, float]
    input_ops: "Counter[str]"


def _shares(traced: Sequence[Run]) -> Optional[_Shares]:
    """Returns the mean shares of the traced runs; None if no trace contains an op."""
    waiting, computing = [], []
    devices: Counter[str] = collections.Counter()
    input_ops: Counter[str] = collections.Counter()
    traces = [(run.graph, step_ops(run.metadata.step_stats)) for run in traced]
    traces = [(graph, ops) for graph, ops in traces if ops]
    if not traces:
        return None
    for graph, ops in traces:
        kinds = _kinds(ops, graph)
        names_of_input_ops = {op.name for op in ops if kinds[op.name] in INPUT_OPS}
        step = traced_step(ops, names_of_input_ops, waited=0)
        whole = max(1, step.end - step.start)
        waiting.append(_length(step.exposed) / whole)
        computing.append(_length(step.compute) / whole)
        for device in {op.device for op in ops}:
            own = merged((op.start, op.end) for op in ops
                         if op.device == device and op.name not in names_of_input_ops and op.is_computing)
            devices[device] += _length(own) / whole / len(traces)  # type: ignore[assignment]
        for op in ops:
            if op.name in names_of_input_ops:
                waits = _length(without([(op.start, op.end)], step.compute))
                input_ops[op.name] += waits / whole / len(traces)  # type: ignore[assignment]
    return _Shares(_mean(waiting), _mean(computing), dict(devices), input_ops)


def _kinds(ops: Sequence[StepOp], graph: Any) -> Dict[str, str]:
    """Returns op -> its type, from the graph where the trace lacks it."""
    kinds = {op.name: op.type for op in ops}
    for name, kind in kinds.items():
        if not kind:
            try:
                kinds[name] = graph.get_operation_by_name(name).type
            except KeyError:  # TensorFlow added it when it optimized the graph
                pass
    return kinds


def _feeds(fed: Sequence[Sequence[Fed]]) -> List[Feed]:
    found: Dict[str, List[Fed]] = {}
    for of_run in fed:
        for each in of_run:
            found.setdefault(each.tensor, []).append(each)
    feeds = [
        Feed(tensor, int(statistics.median([each.size for each in values])), any(each.converted for each in values),
             any(each.copied for each in values))
        for tensor, values in found.items()
    ]
    return sorted(feeds, key=lambda feed: -feed.size)


def _others(spans: Sequence[Sequence[Run]]) -> List[Tuple[Tuple[str, ...], float]]:
    spent: Dict[Tuple[str, ...], float] = collections.defaultdict(float)
    for span in spans:
        for run in span:
            spent[run.fetched] += 1e3 * (run.end - run.start) / len(spans)
    return sorted(spent.items(), key=lambda item: -item[1])


def _length(intervals: Sequence[Tuple[int, int]]) -> int:
    return sum(end - start for start, end in intervals)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
