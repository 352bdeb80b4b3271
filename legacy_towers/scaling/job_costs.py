"""Measures what one worker of a job computes and exchanges in each step, in this process."""
import time
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from legacy_towers.cluster.messages import messages_of
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
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
    gradient is ready is the median over traced steps.

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
            rows = _rows_used(session, step, gradients)
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
        _messages(gradients, ready, rows),
    )


def _timed(session: Any, step: TrainStep, seconds: float) -> Tuple[float, float]:
    """Returns the median of the seconds of a step, and the CPU seconds of one."""
    times: List[float] = []
    begin, cpu = time.perf_counter(), time.process_time()
    while len(times) < _LEAST_STEPS or (time.perf_counter() - begin < seconds and len(times) < _MOST_STEPS):
        before = time.perf_counter()
        session.run(step.train_op)
        times.append(time.perf_counter() - before)
    return float(np.median(times)), (time.process_time() - cpu) / len(times)


def _rows_used(session: Any, step: TrainStep, gradients: List[Any]) -> Dict[int, List[int]]:
    """Returns the number of each sparse gradient -> the rows that it has, and how many of them are different."""
    sparse = {
        number: gradient.indices for number, (gradient, _) in enumerate(gradients)
        if isinstance(gradient, tf.IndexedSlices)
    }
    # With the train op: an input that counts its steps gives each batch once.
    found = session.run([step.train_op, sparse])[1] if sparse else {}
    return {number: [len(indices), len(np.unique(indices))] for number, indices in found.items()}


def _ready(session: Any, step: TrainStep, gradients: List[Any]) -> Tuple[List[float], float]:
    """Returns when each gradient is ready, from 0 to 1, and the share of the step after the last one."""
    operations = [
        (gradient.values if isinstance(gradient, tf.IndexedSlices) else gradient).op for gradient, _ in gradients
    ]
    shares, updates = [], []
    for _ in range(_TRACED_STEPS):
        metadata = tf.RunMetadata()
        options = tf.RunOptions(trace_level=tf.RunOptions.SOFTWARE_TRACE)
        session.run(step.train_op, options=options, run_metadata=metadata)
        ops = step_ops(metadata.step_stats)
        begin, end = min(op.start for op in ops), max(op.end for op in ops)
        ends = {op.name: op.end for op in ops}
        times = [_end_of(operation, ends, begin) for operation in operations]
        last = max(times)
        shares.append([(each - begin) / max(1, last - begin) for each in times])
        updates.append((end - last) / max(1, end - begin))
    # The steps may end with the gradients of different variables.
    ready = np.median(shares, axis=0)
    return [float(each) for each in ready / max(ready.max(), 1e-9)], float(np.median(updates))


def _end_of(operation: Any, ends: Dict[str, int], begin: int) -> int:
    """Returns when an operation has ended; where TensorFlow's optimizer has removed it, when its inputs have."""
    seen, pending, last = set(), [operation], begin
    while pending:
        current = pending.pop()
        if current.name in seen:
            continue
        seen.add(current.name)
        if current.name in ends:
            last = max(last, ends[current.name])
        else:
            pending += [tensor.op for tensor in current.inputs]
    return last


def _variable(
    gradient: Any, variable: Any, ready: float, rows: Optional[List[int]], towers: int
) -> VariableCosts:
    dtype, elements = variable.dtype.base_dtype, variable.shape.num_elements()
    size = elements * dtype.size
    if rows is None:
        return VariableCosts(variable.op.name, size, size, _sent_size(dtype) * elements, size, ready)
    row, index = elements // max(1, variable.shape.as_list()[0]), gradient.indices.dtype.size
    # tf.gather returns a row for each index that it is given, and its gradient has as many. Workers that train
    # synchronously sum those of the same row before they send them, with int64 indices.
    lookups, used = -(-rows[0] // towers), rows[1]
    return VariableCosts(
        variable.op.name, size, lookups * row * dtype.size, used * (row * _sent_size(dtype) + _INDEX_BYTES),
        lookups * (row * dtype.size + index), ready, used, lookups * index,
    )


def _sent_size(dtype: Any) -> int:
    """Returns the bytes of an element on the way: small floats are summed in float32."""
    return 4 if dtype in (tf.float16, tf.bfloat16) else int(dtype.size)


def _messages(gradients: List[Any], ready: List[float], sparse: Dict[int, List[int]]) -> List[Message]:
    """Returns what the workers exchange: dense gradients, small ones together, and the rows of sparse ones."""
    dense = [number for number in range(len(gradients)) if number not in sparse]
    specs = [tf.TensorSpec(gradients[each][1].shape, gradients[each][1].dtype.base_dtype) for each in dense]
    # The losses, known before the gradients: a few numbers, in the message of small gradients if there are some.
    specs.append(tf.TensorSpec([1], tf.float32))
    ready_of = [ready[each] for each in dense] + [0.0]
    found = []
    for positions in messages_of(specs):
        size = sum(specs[each].shape.num_elements() * _sent_size(specs[each].dtype) for each in positions)
        found.append(Message(size, max(ready_of[each] for each in positions)))
    for number, (count, _) in sparse.items():
        _, variable = gradients[number]
        length, size = variable.shape.as_list()[0], _sent_size(variable.dtype.base_dtype)
        # The dense gradient comes with a number for each row, whether it is used.
        found.append(Message(
            (_elements(gradients[number]) + length) * size, ready[number],
            count * (_elements(gradients[number]) // max(1, length) * size + _INDEX_BYTES), length // max(1, count),
        ))
    return sorted(found, key=lambda message: message.ready)


def _elements(pair: Any) -> int:
    """Returns how many values the variable of a (gradient, variable) pair has."""
    return int(pair[1].shape.num_elements())
