"""Appends a line of JSON per N steps to a file that reads as if the run had never been killed."""
import os
import time
import warnings
from typing import Any, Dict, Mapping, Optional

from legacy_towers.errors import ArgumentError
from legacy_towers.step import TrainStep
from legacy_towers.tensor_types import Coordinator, Session
from legacy_towers.training.callbacks import Callback
from legacy_towers.training.hooks.measuring import Measures, MeasuringHook
from legacy_towers.training.metrics.file import append, rewind, to_line


class MetricsFileHook(MeasuringHook, Callback):
    """Appends a line of strict JSON to a file for step 1, each multiple of `every`, and each evaluation.

        {"step": 100, "time": 1767225600.25, "loss": 0.5, "metrics": {"error": 0.25}, "learning_rate": 0.1,
         "examples_per_second": 1234.5, "input_wait": 0.02}
        {"step": 100, "time": 1767225601.5, "evaluation": {"error": 0.3, "loss": 0.6}}

    Fields that are unknown are null; NaN and infinity are the strings "NaN", "Infinity" and "-Infinity". With several
    objectives, the learning rate is an object by their names. "validation" is there if towers validate, and
    "skipped_records", their number in this process so far, if bad records are skipped. Over workers that wait for each
    other, "worker_seconds" is an object of the seconds per step in which each does not wait, and "slowest_worker" the
    name of the one that all others wait for, or null.

    A session that starts removes the lines after its global step, which it writes again, and a last line that is
    incomplete. A checkpoint must not be saved before the line of its step is written: put this hook before an
    `lt.training.CheckpointHook`, or, in a MonitoredTrainingSession with `checkpoint_dir`, into `chief_only_hooks`.

    Where the disk is full, lines are kept in memory and written later; a warning says so once.

    Args:
      step: the train step, of the default graph.
      path: the file; its folder is created when the session starts.
      every: global steps between two lines.

    Raises:
      ArgumentError: `every` is not a whole number of at least 1, or the path is in a remote file system.
    """

    def __init__(self, step: TrainStep, path: str, every: int = 100) -> None:
        super().__init__(step, every)
        if "://" in path:
            raise ArgumentError(
                "the metrics file is {!r}: name a local one, to which lines can be appended".format(path)
            )
        self._path = path
        self._evaluated: Optional[int] = None
        self._is_known = False  # whether the file was read
        self._waiting = b""
        self._warned = False

    def after_create_session(self, session: Session, coord: Coordinator) -> None:
        super().after_create_session(session, coord)
        self._read(self._step)

    def record(self, measures: Measures, values: Mapping[str, Any]) -> None:
        self._append(_record_of(measures))

    def on_evaluation(self, step: int, metrics: Mapping[str, float]) -> None:
        """Appends an evaluation, unless the file has one of this step."""
        if not self._is_known:  # a run that is complete only evaluates
            self._read(None)
        if self._evaluated is None or step > self._evaluated:
            self._evaluated = step
            evaluation = {name: float(metrics[name]) for name in sorted(metrics)}
            self._append({"step": step, "time": round(time.time(), 3), "evaluation": evaluation})

    def end(self, session: Session) -> None:
        if self._waiting:
            self._write()

    def _read(self, step: Optional[int]) -> None:
        folder = os.path.dirname(self._path)
        if folder:
            os.makedirs(folder, exist_ok=True)
        kept = rewind(self._path, step)
        if kept.damaged:
            warnings.warn("{}: {} damaged or incomplete line{} removed".format(
                self._path, kept.damaged, " was" if kept.damaged == 1 else "s were"
            ), stacklevel=2)
        self._evaluated, self._is_known, self._waiting = kept.evaluated, True, b""

    def _append(self, record: Mapping[str, Any]) -> None:
        self._waiting += to_line(record)
        self._write()

    def _write(self) -> None:
        try:
            append(self._path, self._waiting)
        except OSError as error:
            if not self._warned:
                self._warned = True
                warnings.warn(
                    "{} can't be written: {}; its lines are kept in memory and written when it can be, training "
                    "continues".format(self._path, error.strerror or error),
                    stacklevel=2,
                )
            return
        self._waiting, self._warned = b"", False


def _record_of(measures: Measures) -> Dict[str, Any]:
    rates: Any = measures.learning_rates or None
    if rates is not None and list(rates) == [""]:
        rates = rates[""]
    speed, wait = measures.examples_per_second, measures.input_wait
    record = {
        "step": measures.step,
        "time": round(measures.time, 3),
        "loss": measures.loss,
        "metrics": measures.metrics,
        "learning_rate": rates,
        "examples_per_second": None if speed is None else round(speed, 1),
        "input_wait": None if wait is None else round(wait, 4),
    }
    if measures.validation:
        record["validation"] = measures.validation
    if measures.skipped_records is not None:
        record["skipped_records"] = measures.skipped_records
    if measures.worker_seconds:
        record["worker_seconds"] = {name: round(each, 6) for name, each in measures.worker_seconds.items()}
        record["slowest_worker"] = measures.slowest_worker
    return record
