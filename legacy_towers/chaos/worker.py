"""The job that a disturbed `legacy-towers train` trains: the user's job, with a recorder and one fault.

The process is `legacy-towers train FILE`, unchanged; FILE, which `runs.py` writes, calls `wrapped_job`. Records are
written to a pipe, which a full disk can't close and from which nothing is lost if the process is killed.
"""
import json
import os
import signal
import threading
import time
import zlib
from typing import Any, Callable, List, Optional, Tuple

import numpy as np

from legacy_towers.chaos.faults import FAULTS
from legacy_towers.chaos.faults.base import Scene
from legacy_towers.compat import tf
from legacy_towers.errors import JobError
from legacy_towers.inputs.count_steps import position_of
from legacy_towers.inputs.promises import refused
from legacy_towers.tensor_types import Coordinator, Session
from legacy_towers.towers.output import TRAIN
from legacy_towers.training.job import Job, JobFunction, load_job
from legacy_towers.training.user_hooks import hooks_for


def wrapped_job(path: str) -> JobFunction:
    """Returns a job without options for `legacy-towers train`: the user's, recorded and disturbed.

    Args:
      path: a JSON file with "job", "options", "pipe", "seed", "ids", "reads", "poisons", "fault" and "plan".
    """
    with open(path, encoding="utf-8") as source:
        spec = json.load(source)
    # A shell starts background processes with SIGINT ignored.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    function = load_job(spec["job"])

    def disturbed() -> Job:
        return _Wrapped(spec, function(**spec["options"])).job()

    disturbed.__name__ = function.name
    return JobFunction(disturbed)


class _Wrapped(Scene):
    """A job with its recorder and its fault.

    Whether the graph has operations for faults depends on the faults of the whole command, not on that of this
    process: the seeds of initial values follow from the number of operations before them.
    """

    def __init__(self, spec: Any, job: Job) -> None:
        self._spec = spec
        self._job = job
        self._lock = threading.RLock()
        self._acts: List[Tuple[int, Callable[[], None]]] = []
        self._on_read: Optional[Tuple[int, Callable[[int], None]]] = None
        self._reads = 0
        self._later: Optional[Callable[[], None]] = None
        self.read_ids: List[int] = []
        self.poisoned = -1
        if job.train.seed is None:
            job = job.replace(train=job.train.with_seed(spec["seed"]))
        examples = job.train.map(self._watched) if spec["reads"] else job.train
        self._examples = examples.with_ids()
        if spec["ids"]:
            self._examples = self._examples.map(self._with_recorded_id)
        if spec["fault"] is not None:
            FAULTS[spec["fault"]].install(spec["plan"], self)

    def job(self) -> Job:
        """Returns the job for `legacy-towers train`."""
        return self._job.replace(
            model_fn=self._model_fn, train=self._examples,
            hooks=lambda step: hooks_for(self._job.hooks, step) + [_Recorder(self, step)],
        )

    def at_step(self, step: int, act: Callable[[], None]) -> None:
        self._acts.append((step, act))

    def later(self, seconds: float, act: Callable[[], None]) -> None:
        self._later = act
        timer = threading.Timer(seconds, self.do_later)
        timer.daemon = True
        timer.start()

    def on_read(self, count: int, act: Callable[[int], None]) -> None:
        self._on_read = (count, act)

    def poison_loss(self, step: int) -> None:
        self.poisoned = step

    def record(self, **more: Any) -> None:
        self.write(dict(more, kind="fault"))

    def paths(self) -> List[str]:
        return [str(path) for path in self._job.train.source.paths]

    def write(self, record: Any) -> None:
        """Writes a record into the pipe."""
        line = (json.dumps(record) + "\n").encode("ascii")
        with self._lock:
            while line:
                line = line[os.write(self._spec["pipe"], line) :]

    def reached(self, step: int) -> None:
        """Does what is to be done after a step."""
        for each in [each for each in self._acts if each[0] <= step]:
            self._acts.remove(each)
            each[1]()

    def do_later(self) -> None:
        """Does what was to be done later, once."""
        with self._lock:
            waiting, self._later = self._later, None
        if waiting is not None:
            waiting()

    def taken_reads(self) -> List[int]:
        """Returns the ids that were read since the last call."""
        with self._lock:
            taken, self.read_ids = self.read_ids, []
        return taken

    @property
    def examples(self) -> Any:
        """The examples to train on."""
        return self._job.train

    def _watched(self, example: Any) -> Any:
        """Returns an example that is not complete before the fault has had its chance."""
        leaves = tf.nest.flatten(example, expand_composites=True)
        seen = tf.numpy_function(self._read, leaves, tf.bool)
        with tf.control_dependencies([seen]):
            leaves[0] = tf.identity(leaves[0])
        return tf.nest.pack_sequence_as(example, leaves, expand_composites=True)

    def _read(self, *leaves: Any) -> np.bool_:
        content = 0
        for each in map(np.asarray, leaves):
            content = zlib.crc32(repr(each.tolist()).encode() if each.dtype == object else each.tobytes(), content)
        with self._lock:
            self._reads += 1
            count = self._reads
        if self._on_read is not None and count >= self._on_read[0]:
            self._on_read[1](content)
        return np.bool_(True)

    def _with_recorded_id(self, example: Any) -> Any:
        number = tf.numpy_function(self._record_id, [example["id"]], tf.int64)
        number.set_shape([])
        return dict(example, id=number)

    def _record_id(self, example_id: Any) -> np.int64:
        with self._lock:
            self.read_ids.append(int(example_id))
        return np.int64(example_id)

    def _model_fn(self, batch: Any, mode: str) -> Any:
        if mode != TRAIN:
            return self._job.model_fn(batch, mode)
        graph = tf.get_default_graph()
        if graph.seed is None:  # so that all runs have the same initial values
            tf.set_random_seed(self._spec["seed"])
        output = self._job.model_fn(batch["example"], mode)
        if not self._spec["poisons"]:
            return output
        if output.loss is None:
            raise JobError("--faults nan needs a model function that returns its loss: leave nan out")
        return output._replace(loss=self._with_poison(output.loss))

    def _with_poison(self, loss: Any) -> Any:
        if isinstance(loss, dict):
            return {name: self._with_poison(loss[name]) for name in loss}
        # `loss` is computed from a batch, which does not wait for the global step; the gradient waits for this product.
        is_poisoned = tf.equal(tf.cast(tf.train.get_or_create_global_step(), tf.int64), self.poisoned - 1)
        return loss * tf.where(is_poisoned, tf.constant(np.nan, loss.dtype), tf.constant(1.0, loss.dtype))


class _Recorder(tf.train.SessionRunHook):
    """Records each step before anything can save it, and then lets the fault happen."""

    def __init__(self, wrapped: _Wrapped, step: Any) -> None:
        self._wrapped = wrapped
        self._train_step = step
        self._step = 0

    def after_create_session(self, session: Session, coord: Coordinator) -> None:
        self._step = int(session.run(self._train_step.global_step))
        position = position_of(session.graph)
        plan = self._train_step.input.plan
        if self._train_step.asynchronous is not None:
            position = None
            plan = plan.with_promise(refused("of asynchronous towers only the steps of one are recorded"))
        self._wrapped.write({
            "kind": "begin", "step": self._step, "resume": plan.resume, "reason": plan.resume_reason,
            "examples": None if position is None else position.examples,
            "epoch": self._wrapped.examples.source.exact_count(),
        })
        self._wrapped.reached(self._step)

    def before_run(self, run_context: Any) -> Any:
        ids = [batch["id"] for batch in self._train_step.input.per_tower]
        return tf.train.SessionRunArgs([self._train_step.loss, ids])

    def after_run(self, run_context: Any, run_values: Any) -> None:
        loss, ids = run_values.results
        self._step += 1
        self._wrapped.write({
            "kind": "step", "step": self._step, "loss": np.asarray(loss).tobytes().hex(),
            "ids": [int(number) for batch in ids for number in batch], "reads": self._wrapped.taken_reads(),
            "time": round(time.monotonic(), 6),
        })
        if self._step == self._wrapped.poisoned:
            self._wrapped.record(bad_step=self._step)
        self._wrapped.reached(self._step)

    def end(self, session: Session) -> None:
        self._wrapped.write({"kind": "end", "step": self._step, "reads": self._wrapped.taken_reads()})
        self._wrapped.do_later()
