"""Progress as a person wants it: a bar on a terminal, plain lines elsewhere; examples/s over all towers."""
import time
from typing import Any, Optional, TextIO

from legacy_towers.compat import tf
from legacy_towers.training.figures import in_short


class ProgressHook(tf.train.SessionRunHook):
    """Prints step, loss and examples/s; each run of the session is one training step, unless others step too.

    Args:
      loss: scalar tensor; fetched only with the steps that are printed.
      global_step: the global step variable.
      last_step: where training ends.
      examples_per_step: how many a step of the global step stands for: of all towers, or of one where each tower
        applies its own gradients and so moves the global step.
      every: steps between two lines; of this loop's own steps where others step too.
      stream: where to print: a bar if it is a terminal (and tqdm is installed), lines otherwise.
      others_step: whether other towers move the global step between this loop's runs, in threads of their own.

    Attributes, for the summary at the end:
      steps: steps of this run, by all who step.
      loss: the loss of the last step that was printed.
      examples_per_second: over all steps of this run but the first, in which TensorFlow prepares the graph.
    """

    def __init__(
        self,
        loss: Any,
        global_step: Any,
        last_step: int,
        examples_per_step: int,
        every: int,
        stream: TextIO,
        others_step: bool = False,
    ) -> None:
        self.steps = 0
        self.loss: Optional[float] = None
        self.examples_per_second: Optional[float] = None
        self._loss = loss
        self._global_step = global_step
        self._last_step = last_step
        self._examples_per_step = examples_per_step
        self._every = every
        self._stream = stream
        self._others_step = others_step
        self._runs = 0
        self._step = 0
        self._first_ended = (0, 0.0)  # step and time
        self._printed_at = (0, 0.0)  # step and time of the last line, for the speed since then
        self._bar: Optional[Any] = None

    def after_create_session(self, session: Any, coord: Any) -> None:
        self._step = int(session.run(self._global_step))
        if self._bar is None and self._stream.isatty():
            self._bar = _bar(self._step, self._last_step, self._stream)

    def before_run(self, run_context: Any) -> Any:
        if not self._is_printed():
            return None
        # One's own steps are counted: whether a run reads the global step before or after it moves it, is chance.
        return tf.train.SessionRunArgs([self._loss] + ([self._global_step] if self._others_step else []))

    def after_run(self, run_context: Any, run_values: Any) -> None:
        now = time.time()
        self._runs += 1
        moved = 1
        if self._others_step:
            moved = 0 if run_values.results is None else max(0, int(run_values.results[1]) - self._step)
        self._moved(moved, now)
        if run_values.results is not None:
            self.loss = float(run_values.results[0])
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

    def end(self, session: Any) -> None:
        if self._others_step and self._runs:
            self._moved(max(0, int(session.run(self._global_step)) - self._step), time.time())
        self.close()

    def close(self) -> None:
        """Ends the bar's line; for a run that an error ended."""
        if self._bar is not None:
            self._bar.close()

    def _is_printed(self) -> bool:
        if self._others_step:
            return self._runs == 0 or (self._runs + 1) % self._every == 0
        step = self._step + 1
        return self._runs == 0 or step % self._every == 0 or step == self._last_step

    def _speed(self, steps: int, seconds: float) -> float:
        return steps * self._examples_per_step / max(seconds, 1e-9)

    def _print(self, loss: float, now: float) -> None:
        if self._bar is not None:
            average = self.examples_per_second
            shown = "" if average is None else ", {:,.0f} examples/s".format(average)
            self._bar.set_postfix_str("loss {}{}".format(in_short(loss), shown), refresh=False)
            return
        step, then = self._printed_at
        speed = "{:9,.0f} examples/s".format(self._speed(self._step - step, now - then)) if self._step > step else ""
        width = len(str(self._last_step))
        line = "step {:{width}}/{}  loss {:<7}  {}".format(
            self._step, self._last_step, in_short(loss), speed, width=width
        )
        self._stream.write(line.rstrip() + "\n")
        self._stream.flush()
        self._printed_at = (self._step, now)


def _bar(step: int, last_step: int, stream: TextIO) -> Optional[Any]:
    try:
        import tqdm
    except ImportError:
        stream.write("plain lines follow: for a progress bar, pip install tqdm\n")
        return None
    return tqdm.tqdm(
        total=last_step,
        initial=step,
        bar_format="step {n_fmt}/{total_fmt} |{bar}| {elapsed}<{remaining}{postfix}",
        dynamic_ncols=True,
        file=stream,
    )
