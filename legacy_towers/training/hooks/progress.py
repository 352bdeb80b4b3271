"""Progress of training: a line every N steps and, on a terminal, a progress bar below; examples/s over all towers."""
import time
from typing import Any, Optional, TextIO

from legacy_towers.compat import tf
from legacy_towers.step.worker_times import slowest_of
from legacy_towers.tensor_types import Coordinator, Session, Tensor, Variable
from legacy_towers.training.formatting import format_number


class ProgressHook(tf.train.SessionRunHook):
    """Prints step, percentage, loss, examples/s and the remaining time.

        step  400/1000  40%  loss 0.2163     12,345 examples/s  0:05 left
        step  500/1000  50%  loss 0.2041      8,210 examples/s  0:04 left  waits for worker:1 31 % of the time

    Over workers, examples/s is that of all of them. The second form names the worker that all others wait for, and for
    which share of the time.

    Args:
      loss: scalar tensor; fetched only in the steps that are printed.
      examples_per_step: examples per increment of the global step: those of all towers, or, with asynchronous towers,
        those of one tower.
      every: steps between two lines; with asynchronous towers, steps of the tower of this session loop.
      stream: where to print; a terminal also has a progress bar, if tqdm is installed.
      skipped: the records that are skipped, whose number is printed; None for none.
      times: knows which worker the others wait for, a `WorkerTimesHook`; None where no worker waits.
      others_step: whether other threads increment the global step between the runs of this loop, as asynchronous towers
        do.

    Attributes, for the summary at the end:
      steps: steps of this run, of all towers.
      loss: the loss of the last step that was printed.
      loss_step: its global step; the last step is not printed where training ends early.
      examples_per_second: over all steps of this run except the first, in which TensorFlow prepares the graph.
    """

    def __init__(
        self,
        loss: Tensor,
        global_step: Variable,
        last_step: int,
        examples_per_step: int,
        every: int,
        stream: TextIO,
        others_step: bool = False,
        skipped: Optional[Any] = None,
        times: Optional[Any] = None,
    ) -> None:
        self.steps = 0
        self.loss: Optional[float] = None
        self.loss_step: Optional[int] = None
        self.examples_per_second: Optional[float] = None
        self._loss = loss
        self._global_step = global_step
        self._last_step = last_step
        self._examples_per_step = examples_per_step
        self._every = every
        self._stream = stream
        self._others_step = others_step
        self._skipped = skipped
        self._times = times
        self._runs = 0
        self._step = 0
        self._first_ended = (0, 0.0)  # step and time
        self._printed_at = (0, 0.0)  # step and time of the last line, for the speed since then
        self._bar: Optional[Any] = None

    def after_create_session(self, session: Session, coord: Coordinator) -> None:
        self._step = int(session.run(self._global_step))
        if self._bar is None and self._stream.isatty():
            self._bar = _bar(self._step, self._last_step, self._stream)

    def before_run(self, run_context: Any) -> Any:
        if not self._is_printed():
            return None
        # This loop's own steps are counted: a run may read the global step before or after it increments it.
        return tf.train.SessionRunArgs([self._loss] + ([self._global_step] if self._others_step else []))

    def after_run(self, run_context: Any, run_values: Any) -> None:
        now = time.time()
        self._runs += 1
        moved = 1
        if self._others_step:
            moved = 0 if run_values.results is None else max(0, int(run_values.results[1]) - self._step)
        self._moved(moved, now)
        if run_values.results is not None:
            self.loss, self.loss_step = float(run_values.results[0]), self._step
            self._print(self.loss, now)

    def _moved(self, steps: int, now: float) -> None:
        self.steps += steps
        self._step += steps
        first, then = self._first_ended
        if self._runs == 1:
            self._first_ended = self._printed_at = (self._step, now)
        elif self._step > first:
            self.examples_per_second = self._speed(self._step - first, now - then)
        if self._bar is not None:
            self._bar.update(steps)

    def end(self, session: Session) -> None:
        if self._others_step and self._runs:
            self._moved(max(0, int(session.run(self._global_step)) - self._step), time.time())
        self.close()

    def close(self) -> None:
        """Ends the line of the progress bar, after an error too."""
        if self._bar is not None:
            self._bar.close()

    def evaluated(self, evaluation: Any, seconds: float) -> None:
        """Prints an evaluation; its seconds are no time of training.

        Args:
          evaluation: an `Evaluation`, which prints as a line.
        """
        self._first_ended = (self._first_ended[0], self._first_ended[1] + seconds)
        self._printed_at = (self._printed_at[0], self._printed_at[1] + seconds)
        self._write(str(evaluation))

    def note(self, sentence: str) -> None:
        """Prints a line between two lines of progress."""
        self._write(sentence)

    def _is_printed(self) -> bool:
        if self._others_step:
            return self._runs == 0 or (self._runs + 1) % self._every == 0
        step = self._step + 1
        return self._runs == 0 or step % self._every == 0 or step == self._last_step

    def _speed(self, steps: int, seconds: float) -> float:
        return steps * self._examples_per_step / max(seconds, 1e-9)

    def _print(self, loss: float, now: float) -> None:
        step, then = self._printed_at
        speed = "{:9,.0f} examples/s".format(self._speed(self._step - step, now - then)) if self._step > step else ""
        width = len(str(self._last_step))
        line = "step {:{width}}/{} {:3d}%  loss {:<7}  {}".format(
            self._step, self._last_step, _percentage(self._step, self._last_step), format_number(loss), speed,
            width=width
        )
        remaining = self._remaining(now)
        if remaining is not None:
            line = "{}  {} left".format(line, format_duration(remaining))
        if self._skipped is not None and self._skipped.count:
            line = "{}  {:,} skipped".format(line.rstrip(), self._skipped.count)
        slowest = None if self._times is None else slowest_of(self._times.seconds)
        if slowest is not None:
            line = "{}  {}".format(line.rstrip(), slowest)
        self._write(line.rstrip())
        self._printed_at = (self._step, now)
        if self._bar is not None:
            average = self.examples_per_second
            shown = "" if average is None else ", {:,.0f} examples/s".format(average)
            self._bar.set_postfix_str("loss {}{}".format(format_number(loss), shown))

    def _remaining(self, now: float) -> Optional[float]:
        """Returns the seconds until the last step at the mean speed of this run; None before its second step."""
        first, then = self._first_ended
        if self._step <= first or self._step >= self._last_step:
            return None
        return (self._last_step - self._step) * (now - then) / (self._step - first)

    def _write(self, line: str) -> None:
        """Writes a line, above the bar if there is one."""
        if self._bar is None:
            self._stream.write(line + "\n")
            self._stream.flush()
            return
        with self._bar.get_lock():  # a thread of tqdm redraws the bar too
            self._bar.clear(nolock=True)
            self._stream.write(line + "\n")
            self._stream.flush()
            self._bar.refresh(nolock=True)


def _percentage(step: int, last_step: int) -> int:
    """Returns a whole percentage, rounded down: 100 only at the last step."""
    return 100 * step // last_step


def format_duration(seconds: float) -> str:
    """Returns "0:05", "12:30" or "27:04:10": minutes and seconds, with hours where there are any."""
    minutes, rest = divmod(int(round(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return "{}:{:02}:{:02}".format(hours, minutes, rest) if hours else "{}:{:02}".format(minutes, rest)


def _bar(step: int, last_step: int, stream: TextIO) -> Optional[Any]:
    try:
        import tqdm
    except ImportError:
        stream.write("there is no progress bar: pip install tqdm for one\n")
        return None
    return tqdm.tqdm(
        total=last_step,
        initial=step,
        bar_format="step {n_fmt}/{total_fmt} {percentage:3.0f}% |{bar}| {elapsed}<{remaining}{postfix}",
        dynamic_ncols=True,
        file=getattr(stream, "terminal", stream),  # the bar does not go to a log file
    )
