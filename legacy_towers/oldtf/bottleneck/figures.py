"""From watched runs to the parts of a step.

    |- run ----------------------------------|- Python ----|- another run -|- Python -|- run ...
    |- arrays -|- waits, computes, on devices-|
    |- one cycle: from a step's run to the next one ---------------------------------|

The step's run is the kind of run that takes most of the time. A cycle in which a run was traced is left out, for
tracing takes time; what the traces say is the share of a run in which its ops waited for input or computed.
"""
import collections
import statistics
from typing import Any, Counter, Dict, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.measure.overlap import merged
from legacy_towers.measure.step_ops import StepOp, step_ops
from legacy_towers.measure.waiting import traced_step, without
from legacy_towers.oldtf.bottleneck.watch import Fed, Run

# Kinds of operations that hand over input; a pull that takes its time waits for it.
_PULLS = ("QueueDequeue", "IteratorGetNext", "Unstage", "MapUnstage", "ReaderRead", "BarrierTakeMany")


class Feed(NamedTuple):
    """One tensor that each step is fed.

    Attributes:
      tensor: its name.
      size: bytes for each step.
      converted: whether Python makes an array of it each time.
      copied: whether TensorFlow copies it.
    """

    tensor: str
    size: int
    converted: bool
    copied: bool


class Figures(NamedTuple):
    """Where a step's time goes; times are means in milliseconds for one step.

    Attributes:
      fetched: what the step's run fetches.
      cycles: how many cycles the times are means of.
      traces: how many traced runs the shares are means of.
      step: from one step's run to the next.
      run: within the step's run.
      other: within other session runs.
      python: between runs.
      converting: within the step's run, making arrays of what is fed.
      waiting: within the step's run, input is waited for and nothing computes.
      computing: within the step's run, at least one op computes.
      devices: device -> in which it computes.
      pulls: the ops that input is waited for in, each with its time, the longest first.
      feeds: what each step is fed.
      others: what other runs fetch, each with its time for one step.
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
    pulls: List[Tuple[str, float]]
    feeds: List[Feed]
    others: List[Tuple[Tuple[str, ...], float]]

    @property
    def rest(self) -> float:
        """Within the step's run, nothing of the above: TensorFlow's own work around the ops, copies of feeds."""
        return max(0.0, self.run - self.converting - self.waiting - self.computing)


def of_runs(runs: Sequence[Run], warm_up: int) -> Figures:
    """Returns the figures of the runs, without the first `warm_up` steps.

    Raises:
      ValueError: fewer than two steps are left, or none of them was traced; it says which, and why.
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
    return Figures(
        fetched, len(clean), len(traced), 1e3 * step, 1e3 * run, 1e3 * other, 1e3 * max(0.0, step - run - other),
        1e3 * (run - inner), 1e3 * inner * shares.waiting, 1e3 * inner * shares.computing,
        {device: 1e3 * inner * share for device, share in sorted(shares.devices.items())},
        [(name, 1e3 * inner * share) for name, share in shares.pulls.most_common()],
        _feeds([span[0].fed for span, _ in clean]), _others([span[1:] for span, _ in clean]),
    )


def _step_kind(runs: Sequence[Run]) -> Tuple[Tuple[str, ...], int]:
    """Returns (what it fetches, its thread) of the kind of run that takes most time, of those that come again."""
    spent: Counter[Any] = collections.Counter()
    times: Counter[Any] = collections.Counter()
    # A thread that fills a queue waits at the queue as long as the step takes, and may do so once for each example.
    for run in [run for run in runs if run.counts] or runs:
        spent[run.fetched, run.thread] += run.end - run.start  # type: ignore[assignment]
        times[run.fetched, run.thread] += 1
    again = {kind: seconds for kind, seconds in spent.items() if times[kind] >= 3}
    if not again:
        raise ValueError("no session run came three times")
    most = max(times[kind] for kind in again)
    # What runs once in many steps is no step, however long it takes.
    return max((kind for kind in again if 2 * times[kind] >= most), key=lambda kind: again[kind])


class _Shares(NamedTuple):
    waiting: float
    computing: float
    devices: Dict[str, float]
    pulls: "Counter[str]"


def _shares(traced: Sequence[Run]) -> Optional[_Shares]:
    """Returns the shares of a run, the means of those that were traced; None where no trace tells of an op."""
    waiting, computing = [], []
    devices: Counter[str] = collections.Counter()
    pulls: Counter[str] = collections.Counter()
    told = [(run.graph, step_ops(run.metadata.step_stats)) for run in traced]
    told = [(graph, ops) for graph, ops in told if ops]
    if not told:
        return None
    for graph, ops in told:
        kinds = _kinds(ops, graph)
        is_pull = {op.name for op in ops if kinds[op.name].startswith(_PULLS)}
        step = traced_step(ops, is_pull, waited=0)
        whole = max(1, step.end - step.start)
        waiting.append(_length(step.exposed) / whole)
        computing.append(_length(step.compute) / whole)
        for device in {op.device for op in ops}:
            own = merged((op.start, op.end) for op in ops
                         if op.device == device and op.name not in is_pull and op.is_computing)
            devices[device] += _length(own) / whole / len(told)  # type: ignore[assignment]
        for op in ops:
            if op.name in is_pull:
                pulls[op.name] += _length(without([(op.start, op.end)], step.compute)) / whole / len(told)  # type: ignore
    return _Shares(_mean(waiting), _mean(computing), dict(devices), pulls)


def _kinds(ops: Sequence[StepOp], graph: Any) -> Dict[str, str]:
    """Returns op -> its kind; the trace does not always tell."""
    kinds = {op.name: op.type for op in ops}
    for name, kind in kinds.items():
        if not kind:
            try:
                kinds[name] = graph.get_operation_by_name(name).type
            except KeyError:  # TensorFlow made it when it optimized the graph
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
