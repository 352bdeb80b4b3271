"""Measures what one worker of a job computes and exchanges in each step, in this process."""
import time
from typing import Any, Dict, List, Optional

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients.base import GradientRow
from legacy_towers.gradients.over_workers import messages_of
from legacy_towers.inputs.named import make_pipeline
from legacy_towers.measure.step_ops import step_ops
from legacy_towers.scaling.values import JobCosts, Message, VariableCosts
from legacy_towers.step import TrainStep
from legacy_towers.tensor_types import ConfigProto
from legacy_towers.training.building import build_job_step
from legacy_towers.training.choices import with_choices
from legacy_towers.training.job import Job

_WARM_UP_STEPS = 3
_LEAST_STEPS, _MOST_STEPS = 5, 200
_TRACED_STEPS = 3
_INDEX_BYTES = 8


def measure_job(
    job: Job, devices: List[str], config: ConfigProto, per_tower_batch_size: int, seconds: float = 3.0,
    step_seconds: Optional[float] = None,
) -> JobCosts:
    """Runs the job's step with `variables="replicated"` in this process, and returns what it costs.

    The input is synthetic: the first batch of the examples, in every step. The time of a step is the median; when each
    gradient is ready is the median over traced steps; where TensorFlow's optimizer has renamed the operation of a
    gradient, it counts as ready with the last one.

    Args:
      devices: one device string per tower of a worker.
      config: of the session.
      seconds: how long steps are timed, about.
      step_seconds: the time of a step on the machines of the cluster; None: it is measured here.

    Raises:
      ArgumentError: the job trains objectives in turn, or nothing of it is trained.
    """
    chosen = with_choices(job, "replicated", None, devices)
    with tf.Graph().as_default():
        source = make_pipeline("synthetic", chosen.train, per_tower_batch_size=per_tower_batch_size)
        step = build_job_step(chosen, source, devices)
        if step.schedule.order:
            raise ArgumentError("the job trains its objectives in turn, which can't be predicted: train them jointly")
        gradients = [(gradient, variable) for gradient, variable in step.gradients if gradient is not None]
        if not gradients:
            raise ArgumentError("no variable of the job is trained")
        with tf.train.SingularMonitoredSession(hooks=step.hooks, config=config) as session:
            for _ in range(_WARM_UP_STEPS):
                session.run(step.train_op)
            measured, cpu = _timed(session, step, seconds if step_seconds is None else 0.0)
            rows = _rows_used(session, step, gradients, len(devices))
            ready, update_share = _ready(session, step, gradients)
    if step_seconds is not None:
        cpu *= step_seconds / measured
        measured = step_seconds
    variables = [
        _variable(gradient, variable, ready[number], rows.get(number), len(devices))
        for number, (gradient, variable) in enumerate(gradients)
    ]
    return JobCosts(
        len(devices), per_tower_batch_size * len(devices), measured, measured * update_share, cpu, variables,
        _messages(gradients, ready),
    )


def _timed(session: Any, step: TrainStep, seconds: float) -> Any:
    """Returns the median of the seconds of a step, and the CPU seconds of one."""
    times: List[float] = []
    begin, cpu = time.perf_counter(), time.process_time()
    while len(times) < _LEAST_STEPS or (time.perf_counter() - begin < seconds and len(times) < _MOST_STEPS):
        before = time.perf_counter()
        session.run(step.train_op)
        times.append(time.perf_counter() - before)
    return float(np.median(times)), (time.process_time() - cpu) / len(times)


def _rows_used(session: Any, step: TrainStep, gradients: List[Any], towers: int) -> Dict[int, int]:
    """Returns the number of each sparse gradient -> the different rows that it has."""
    sparse = {
        number: gradient.indices for number, (gradient, _) in enumerate(gradients)
        if isinstance(gradient, tf.IndexedSlices)
    }
    # With the train op: an input that counts its steps gives each batch once.
    found = session.run([step.train_op, sparse])[1] if sparse else {}
    return {number: len(np.unique(indices)) for number, indices in found.items()}


def _ready(session: Any, step: TrainStep, gradients: List[Any]) -> Any:
    """Returns when each gradient is ready, from 0 to 1, and the share of the step after the last one."""
    names = [
        (gradient.values if isinstance(gradient, tf.IndexedSlices) else gradient).op.name for gradient, _ in gradients
    ]
    shares, updates = [], []
    for _ in range(_TRACED_STEPS):
        metadata = tf.RunMetadata()
        options = tf.RunOptions(trace_level=tf.RunOptions.SOFTWARE_TRACE)
        session.run(step.train_op, options=options, run_metadata=metadata)
        ops = step_ops(metadata.step_stats)
        begin, end = min(op.start for op in ops), max(op.end for op in ops)
        ends = {op.name: op.end for op in ops}
        known = [ends[name] for name in names if name in ends] or [end]
        last = max(known)
        shares.append([(ends.get(name, last) - begin) / max(1, last - begin) for name in names])
        updates.append((end - last) / max(1, end - begin))
    return [float(each) for each in np.median(shares, axis=0)], float(np.median(updates))


def _variable(gradient: Any, variable: Any, ready: float, rows: Optional[int], towers: int) -> VariableCosts:
    elements = variable.shape.num_elements()
    size = elements * variable.dtype.base_dtype.size
    if rows is None:
        return VariableCosts(variable.op.name, size, size, _sent_size(variable.dtype.base_dtype) * elements, ready)
    row = elements // max(1, variable.shape.as_list()[0])
    # A tower asks by its indices, and gets the rows: about its share of those of all towers.
    read = -(-rows // towers) * (row * variable.dtype.base_dtype.size + _INDEX_BYTES)
    sent = rows * (row * _sent_size(variable.dtype.base_dtype) + _INDEX_BYTES)
    return VariableCosts(variable.op.name, size, read, sent, ready, rows)


def _sent_size(dtype: Any) -> int:
    """Returns the bytes of an element on the way: small floats are summed in float32."""
    return 4 if dtype in (tf.float16, tf.bfloat16) else int(dtype.size)


def _messages(gradients: List[Any], ready: List[float]) -> List[Message]:
    """Returns the all-reduces of the gradients; sparse ones are made dense for it."""
    rows = [
        GradientRow(variable.op.name, variable, [tf.TensorSpec(variable.shape, variable.dtype.base_dtype)])
        for _, variable in gradients
    ]
    found = []
    for positions in messages_of(rows):
        size = sum(
            rows[each].gradients[0].shape.num_elements() * _sent_size(rows[each].gradients[0].dtype)
            for each in positions
        )
        found.append(Message(size, max(ready[each] for each in positions)))
    return sorted(found, key=lambda message: message.ready)
