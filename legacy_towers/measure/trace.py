"""Is this loop serial? One traced step, a row per tower, and the share of it in which towers computed together."""
import warnings
from typing import Any, Dict, List, Optional, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.measure.chrome_trace import write_chrome_trace
from legacy_towers.measure.overlap import Interval, Overlap, overlap_of
from legacy_towers.measure.step_ops import StepOp, step_ops


class TowerTrace:
    """One step, op by op.

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
                "the run metadata holds no step stats: run with "
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

        The file appears whole or not at all.

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
      step: which run of the session is traced, counted from 1. The first ones also start what lasts (threads, queues,
        memory), so they are not typical.
      path: where the Chrome trace is written; None writes none.

    Attributes:
      trace: the `TowerTrace`, None until the step has run.
    """

    def __init__(self, step: int = 10, path: Optional[str] = None) -> None:
        if isinstance(step, bool) or not isinstance(step, int) or step < 1:
            raise ArgumentError("step is {!r}: allowed is the number of a run, from 1 up".format(step))
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

    def end(self, session: Any) -> None:
        if self.trace is None:
            warnings.warn(
                "no step was traced: the loop ended after {} runs, before run {}".format(self._runs, self._step),
                stacklevel=2,
            )
