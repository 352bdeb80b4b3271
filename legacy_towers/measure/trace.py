"""Traces one step, with a row per tower, and measures the share in which towers computed at the same time."""
import json
import os
import warnings
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.measure.overlap import Interval, Overlap, overlap_of
from legacy_towers.measure.step_ops import StepOp, step_ops
from legacy_towers.tensor_types import Session
from legacy_towers.text.files import write_whole


class TowerTrace:
    """The ops of one step and their times.

        metadata = tf.RunMetadata()
        session.run(step.train_op, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=metadata)
        trace = TowerTrace.from_run_metadata(metadata)
        print(trace.overlap())
        trace.write_chrome_trace("step.json")

    Attributes:
      ops: the ops of the step, in the order in which they started.
    """

    def __init__(self, ops: Sequence[StepOp]) -> None:
        self.ops = list(ops)

    @classmethod
    def from_run_metadata(cls, run_metadata: Any) -> "TowerTrace":
        """Returns the trace in a tf.RunMetadata.

        Raises:
          ArgumentError: the run was not traced.
        """
        if not run_metadata.step_stats.dev_stats:
            raise ArgumentError(
                "the run metadata has no step stats: run with "
                "options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)"
            )
        return cls(step_ops(run_metadata.step_stats))

    def intervals(self) -> Dict[int, List[Interval]]:
        """Returns, for each tower, when each of its ops computed: (start, end) in nanoseconds.

        Ops that mostly wait (dequeues, iterators, sends and receives, collectives) and those that compute nothing
        (constants, handles) are left out.
        """
        towers: Dict[int, List[Interval]] = {op.tower: [] for op in self.ops if op.tower is not None}
        for op in self.ops:
            if op.tower is not None and op.is_computing:
                towers[op.tower].append((op.start, op.end))
        return {tower: towers[tower] for tower in sorted(towers)}

    def overlap(self) -> Overlap:
        """Returns for what share of the step at least two towers computed, and for what share each one did.

        An op that the operating system interrupts counts as computing: more towers than cores overlap in this figure
        without being faster for it.
        """
        return overlap_of(self.intervals())

    def write_chrome_trace(self, path: str) -> None:
        """Writes the step for chrome://tracing or Perfetto: a group of rows per tower, and one for all the rest.

        The file is written atomically.

        Raises:
          ArgumentError: the file can't be written.
        """
        groups: List[Tuple[str, List[StepOp]]] = [
            ("tower {}".format(tower), [op for op in self.ops if op.tower == tower]) for tower in self.intervals()
        ]
        groups.append(("shared: variables, update", [op for op in self.ops if op.tower is None]))
        write_chrome_trace(path, groups, {"overlap": str(self.overlap())})


class TraceHook(tf.train.SessionRunHook):
    """Traces one step of a loop.

    Args:
      step: the number of the session run to trace, counted from 1. The first runs are not typical: they start threads,
        fill queues and allocate memory.
      path: path of the Chrome trace to write; None writes none.

    Attributes:
      trace: the `TowerTrace`, None until the step has run.
    """

    def __init__(self, step: int = 10, path: Optional[str] = None) -> None:
        if isinstance(step, bool) or not isinstance(step, int) or step < 1:
            raise ArgumentError("step must be a whole number of at least 1, got {!r}".format(step))
        self.trace: Optional[TowerTrace] = None
        self._step = step
        self._path = path
        self._runs = 0

    def before_run(self, run_context: Any) -> Optional[Any]:
        self._runs += 1
        if self._runs != self._step:
            return None
        return tf.train.SessionRunArgs(None, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE))

    def after_run(self, run_context: Any, run_values: Any) -> None:
        if self._runs != self._step:
            return
        self.trace = TowerTrace.from_run_metadata(run_values.run_metadata)
        if self._path is not None:
            self.trace.write_chrome_trace(self._path)

    def end(self, session: Session) -> None:
        if self.trace is None:
            warnings.warn(
                "no step was traced: the loop ended after {} runs, before run {}".format(self._runs, self._step),
                stacklevel=2,
            )


def write_chrome_trace(path: str, groups: Sequence[Tuple[str, Sequence[StepOp]]], notes: Mapping[str, Any]) -> None:
    """Writes a trace file atomically.

    Args:
      path: the file; its folder is created if it doesn't exist.
      groups: (title, ops) in the order in which they are shown; times are relative to the start of the first op.

    Raises:
      ArgumentError: the file can't be written.
    """
    document = {"traceEvents": chrome_events(groups), "displayTimeUnit": "ms", "otherData": dict(notes)}
    try:
        os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    except OSError as error:
        raise ArgumentError(
            "the trace can't be written to {}: {}".format(path, error.strerror or error)
        ) from error
    write_whole(path, json.dumps(document), "the trace")


def chrome_events(groups: Sequence[Tuple[str, Sequence[StepOp]]]) -> List[Dict[str, Any]]:
    """Returns the events of a trace file: names and order of the rows, then one "complete" event per op."""
    zero = min([op.start for _, ops in groups for op in ops] or [0])
    events: List[Dict[str, Any]] = []
    for process, (title, ops) in enumerate(groups, start=1):
        events.append(_named("process_name", process, 0, {"name": title}))
        events.append(_named("process_sort_index", process, 0, {"sort_index": process}))
        for thread, (line, on_line) in enumerate(_lines(ops), start=1):
            events.append(_named("thread_name", process, thread, {"name": line}))
            events.append(_named("thread_sort_index", process, thread, {"sort_index": thread}))
            for op in on_line:
                events.append({
                    "ph": "X",
                    "name": op.type or op.name,
                    "cat": "wait" if op.is_wait else "op",
                    "pid": process,
                    "tid": thread,
                    "ts": (op.start - zero) / 1000.0,  # microseconds
                    "dur": (op.end - op.start) / 1000.0,
                    "args": {"op": op.name, "device": op.device},
                })
    return events


def _named(kind: str, process: int, thread: int, arguments: Dict[str, Any]) -> Dict[str, Any]:
    return {"ph": "M", "name": kind, "pid": process, "tid": thread, "args": arguments}


def _lines(ops: Sequence[StepOp]) -> List[Tuple[str, List[StepOp]]]:
    """Spreads ops over lines so that none overlaps another on its line, which viewers would draw as nested calls."""
    titles: Dict[Tuple[str, bool], List[List[StepOp]]] = {}
    for op in sorted(ops, key=lambda op: (op.start, op.end)):
        lines = titles.setdefault((op.device, op.is_wait), [])
        for line in lines:
            if line[-1].end <= op.start:
                line.append(op)
                break
        else:
            lines.append([op])
    result = []
    for (device, is_wait), lines in sorted(titles.items()):
        for number, line in enumerate(lines, start=1):
            title = device + (" waits" if is_wait else "") + (" ({})".format(number) if number > 1 else "")
            result.append((title, line))
    return result
