"""What one step's records contain, and the base of the hooks that keep them: summaries, metrics.jsonl, Prometheus."""
import time
from typing import Any, Dict, Mapping, NamedTuple, Optional

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.measure.input_wait import InputWait
from legacy_towers.step import TrainStep
from legacy_towers.step.worker_times import slowest_of
from legacy_towers.tensor_types import Coordinator, Session

# Steps before each record in which the time is measured that the graph waits for input.
_MEASURED_STEPS = 5


class Measures(NamedTuple):
    """The record of one step.

    Attributes:
      step: the global step after it.
      time: when it ended, in seconds since the epoch.
      loss: the loss over all towers.
      metrics: name -> mean over all towers that train.
      validation: name -> mean over the towers that validate, with "loss"; {} if none does.
      learning_rates: name of an objective, "" for a single one -> the learning rate of this step; without those that
        are unknown.
      examples_per_second: of all towers, since the record before; None for the first step of a session.
      input_wait: the share of the time since the record before in which steps waited for input, from 0 to 1; None for
        the first step of a session, and where the input can't be measured.
      skipped_records: the training records that the process has skipped, since they can't be read or parsed; None where
        the first one ends the run.
      worker_seconds: name of each worker -> seconds of a step in which it does not wait for the others; {} in one
        process, where no worker waits, and until it is known.
      slowest_worker: the name of the worker that all others wait for; None if none is notably slower.
    """

    step: int
    time: float
    loss: float
    metrics: Dict[str, float]
    validation: Dict[str, float]
    learning_rates: Dict[str, float]
    examples_per_second: Optional[float]
    input_wait: Optional[float]
    skipped_records: Optional[int] = None
    worker_seconds: Mapping[str, float] = {}
    slowest_worker: Optional[str] = None


class MeasuringHook(tf.train.SessionRunHook):
    """Measures step 1 and each multiple of `every`, counted in global steps; a subclass keeps the records.

    In the other steps it counts, and nothing else. A resumed run has its records at the same steps. Where towers train
    asynchronously, records are about `every` global steps apart.

    Args:
      step: the train step, of the default graph.
      every: global steps between two records.

    Raises:
      ArgumentError: `every` is not a whole number of at least 1.
    """

    def __init__(self, step: TrainStep, every: int = 100) -> None:
        if isinstance(every, bool) or not isinstance(every, int) or every < 1:
            raise ArgumentError("every is {!r}: a whole number of at least 1 is needed".format(every))
        self._train_step = step
        self._every = every
        self._steps_per_run = 1
        size = step.plan.input.global_batch_size
        if step.asynchronous is not None:
            self._steps_per_run = len([tower for tower in step.towers if tower.losses])
            size = step.plan.input.per_tower_batch_size
        self._examples_per_step = size
        self._wait: Optional[InputWait] = None
        self._fetches: Dict[str, Any] = {}
        self._step = 0  # the global step, as far as it is known; runs that do not train are counted until it is read
        self._due = 0
        self._measured_from = 0
        self._begun: Optional[_Begin] = None  # of the time that the next record measures
        self._requested = ""

    def record(self, measures: Measures, values: Mapping[str, Any]) -> None:
        """Keeps a record; `values` are those of `fetches`."""
        raise NotImplementedError

    def fetches(self) -> Dict[str, Any]:
        """Returns what else `record` needs: name -> a structure of tensors."""
        return {}

    def begin(self) -> None:
        step = self._train_step
        self._wait = InputWait(step)
        validation = dict(step.validation_metrics)
        if step.validation_loss is not None:
            validation["loss"] = step.validation_loss
        self._fetches = dict(
            self.fetches(),
            loss=step.loss,
            metrics=dict(step.metrics),
            validation=validation,
            learning_rates={name: tf.convert_to_tensor(rate) for name, rate in step.learning_rates.items()},
        )

    def after_create_session(self, session: Session, coord: Coordinator) -> None:
        self._begun = None
        self._at(self._read_step(session))

    def before_run(self, run_context: Any) -> Any:
        self._step += self._steps_per_run
        if self._step < self._measured_from:
            return None
        self._requested = ""
        if self._wait is None or not self._wait.trains(run_context):
            return None
        waits = self._wait.fetches(run_context)
        if self._step < self._due:
            self._requested = "wait"
            return tf.train.SessionRunArgs({"wait": waits}) if waits else None
        self._requested = "record"
        return tf.train.SessionRunArgs(dict(self._fetches, wait=waits))

    def after_run(self, run_context: Any, run_values: Any) -> None:
        if self._begun is None:
            self._begin_anew(self._read_step(run_context.session))
        if self._step < self._measured_from:
            return
        if self._wait is not None and run_values.results is not None:
            self._wait.measured(run_values.results["wait"])
        if self._step < self._due:
            return
        step = self._read_step(run_context.session)
        if step >= self._due and self._requested == "record":
            self._record(step, run_values.results)
            self._begin_anew(step)
        self._at(step)

    def _record(self, step: int, values: Mapping[str, Any]) -> None:
        now, skipped = time.time(), self._train_step.input.skipped
        steps = seconds = 0.0
        if self._begun is not None:
            steps, seconds = step - self._begun.step, time.perf_counter() - self._begun.time
        times = self._train_step.worker_times_hook
        slowest = None if times is None else slowest_of(times.seconds)
        speed = None
        if steps > 0 and self._examples_per_step is not None:
            speed = steps * self._examples_per_step / max(seconds, 1e-9)
        self.record(
            Measures(
                step=step,
                time=now,
                loss=_float(values["loss"]),
                metrics=_floats(values["metrics"]),
                validation=_floats(values["validation"]),
                learning_rates=_floats(values["learning_rates"]),
                examples_per_second=speed,
                input_wait=None if self._wait is None else self._wait.share(seconds, int(steps)),
                skipped_records=None if skipped is None else skipped.count,
                worker_seconds={} if times is None else times.seconds,
                slowest_worker=None if slowest is None else slowest.name,
            ),
            values,
        )

    def _begin_anew(self, step: int) -> None:
        self._begun = _Begin(step, time.perf_counter())
        if self._wait is not None:
            self._wait.reset()

    def _at(self, step: int) -> None:
        """Takes the global step as it was read, and finds the next one that is due."""
        self._step = step
        self._due = 1 if step < 1 else (step // self._every + 1) * self._every
        measured = _MEASURED_STEPS * self._steps_per_run
        self._measured_from = max(step + 1, self._due - measured + 1)

    def _read_step(self, session: Session) -> int:
        # After the run and without hooks: a run can read the step before or after it counts it.
        return int(session.run(self._train_step.global_step))


class _Begin(NamedTuple):
    """The global step, and seconds of a clock, at which a record's time begins."""

    step: int
    time: float


def _floats(values: Mapping[str, Any]) -> Dict[str, float]:
    return {name: _float(values[name]) for name in sorted(values)}


def _float(value: Any) -> float:
    # By its shortest text: 0.1 in float32 is 0.1, not 0.10000000149011612; a cast to float32 gives the same bits.
    return float(str(value))
