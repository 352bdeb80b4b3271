"""Records in a folder the results of a job under one version of TensorFlow, for comparison with another version.

    record.json       versions, variables, losses
    batches.npz       "3/tower 0/image": the batch of tower 0 in step 3
    gradients.npz     of the first step, by variable
    before-3.npz      the values of all variables before step 3
"""
import json
import os
import sys
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.compat.versions.onednn import onednn_state
from legacy_towers.config import session_config
from legacy_towers.errors import InputError
from legacy_towers.graph.op_kinds import PORTABLE_GENERATOR_OPS, draws_random_numbers
from legacy_towers.graph.walk import ancestors
from legacy_towers.inputs.from_graph import replay
from legacy_towers.inputs.named import make_pipeline
from legacy_towers.parity.arrays_file import read_arrays, write_arrays
from legacy_towers.parity.whole_values import WholeValues
from legacy_towers.step import TrainStep
from legacy_towers.tensor_types import Session
from legacy_towers.text.names import quoted
from legacy_towers.training.building import build_job_step
from legacy_towers.training.devices import tower_devices
from legacy_towers.training.job import load_job

Batch = Dict[str, np.ndarray]  # "tower 0/image" -> array
RECORD = "record.json"


class Request(NamedTuple):
    """A request to record a job.

    Attributes:
      job, options, towers, device, per_tower_batch_size, steps: as in `compare_versions`.
      folder: the folder for the record.
      reference: the folder of another record, whose values and batches are used; None: this record is the reference.
    """

    job: str
    options: Dict[str, Any]
    towers: int
    device: str
    per_tower_batch_size: Optional[int]
    steps: int
    folder: str
    reference: Optional[str]


def record(request: Request) -> None:
    """Records a job; see the module docstring."""
    job = load_job(request.job)(**request.options)
    devices = tower_devices(request.device, request.towers)
    config = session_config(logical_cpus=request.towers if request.device == "cpu" else 1)
    size = request.per_tower_batch_size or job.per_tower_batch_size
    source = make_pipeline("dataset:split", job.train, per_tower_batch_size=size, order="fixed")
    batches = replay.read_batches(source, devices, config, request.steps)
    _write_batches(request.folder, batches)
    if request.reference is not None:
        batches = read_batches(request.reference, request.steps)
    with tf.Graph().as_default():
        replayed = replay.ReplayedInput(source)
        step = build_job_step(job, replayed, devices)
        facts = {
            "tensorflow": tf.__version__,
            "python": ".".join(str(part) for part in sys.version_info[:3]),
            "onednn": onednn_state(),
            "loss_dtype": step.loss.dtype.base_dtype.name,
            "random_ops": _random_operations(step),
        }
        values = WholeValues()
        facts["variables"] = _variables()
        if request.reference is not None and facts["variables"] != read_record(request.reference)["variables"]:
            _write_json(request.folder, facts)  # nothing more can be compared
            return
        with tf.Session(config=config) as session:
            session.run([tf.global_variables_initializer(), tf.local_variables_initializer(), tf.tables_initializer()])
            facts.update(_compute(request, session, step, replayed, values, batches))
    _write_json(request.folder, facts)


def _compute(
    request: Request,
    session: Session,
    step: TrainStep,
    replayed: replay.ReplayedInput,
    values: WholeValues,
    batches: Sequence[Batch],
) -> Dict[str, Any]:
    start = values.read(session) if request.reference is None else read_values(request.reference, 0)
    _write_all(values, session, start)
    free: List[float] = []
    gradients = {
        variable.op.name: tf.convert_to_tensor(gradient)
        for gradient, variable in step.gradients
        if gradient is not None
    }
    for index, batch in enumerate(batches):
        if request.reference is None:
            write_arrays(_values_path(request.folder, index), values.read(session))
        feed = replayed.feed_dict(batch)
        if index == 0:
            write_arrays(os.path.join(request.folder, "gradients.npz"), session.run(gradients, feed))
        free.append(float(session.run([step.loss, step.schedule.train_op(index)], feed)[0]))
    restarted: List[float] = []
    if request.reference is not None:
        for index, batch in enumerate(batches):
            _write_all(values, session, read_values(request.reference, index))
            feed = replayed.feed_dict(batch)
            restarted.append(float(session.run([step.loss, step.schedule.train_op(index)], feed)[0]))
    return {"free": [value.hex() for value in free], "restarted": [value.hex() for value in restarted]}


def _write_all(values: WholeValues, session: Session, given: Dict[str, np.ndarray]) -> None:
    missing = values.write(session, given)
    if missing:
        raise InputError("there is no value for {}: the graphs have different variables".format(quoted(missing)))


def _variables() -> List[List[Any]]:
    """Returns (name, shape, dtype, whether it is trained) of each variable, sorted by name, as read from JSON."""
    trainable = {variable.op.name for variable in tf.trainable_variables()}
    return sorted(
        [variable.op.name, variable.shape.as_list(), variable.dtype.base_dtype.name, variable.op.name in trainable]
        for variable in tf.global_variables()
    )


def _random_operations(step: TrainStep) -> List[str]:
    """Returns the names of random ops in the towers' forward passes whose numbers differ between TensorFlow versions.
    """
    return sorted(
        operation.name for operation in ancestors([tower.loss for tower in step.towers])
        if draws_random_numbers(operation) and operation.type not in PORTABLE_GENERATOR_OPS
    )


def read_record(folder: str) -> Dict[str, Any]:
    """Returns the content of record.json.

    Raises:
      InputError: the file can't be read, or is not such a record.
    """
    path = os.path.join(folder, RECORD)
    try:
        with open(path, encoding="utf-8") as source:
            record = json.load(source)
    except (OSError, ValueError, RecursionError) as error:
        raise InputError("{} can't be read, or is damaged: {}".format(path, error)) from error
    if not isinstance(record, dict):
        raise InputError("{} is damaged: it is not a JSON object".format(path))
    return record


def read_batches(folder: str, steps: int) -> List[Batch]:
    """Returns the batches of the towers in each step."""
    batches: List[Batch] = [{} for _ in range(steps)]
    for name, array in read_arrays(os.path.join(folder, "batches.npz")).items():
        step, _, rest = name.partition("/")
        batches[int(step)][rest] = array
    return batches


def read_gradients(folder: str) -> Dict[str, np.ndarray]:
    """Returns variable -> gradient of the first step."""
    return read_arrays(os.path.join(folder, "gradients.npz"))


def read_values(folder: str, step: int) -> Dict[str, np.ndarray]:
    """Returns the values of the variables before a step, counted from 0."""
    return read_arrays(_values_path(folder, step))


def _values_path(folder: str, step: int) -> str:
    return os.path.join(folder, "before-{}.npz".format(step))


def _write_batches(folder: str, batches: Sequence[Batch]) -> None:
    write_arrays(os.path.join(folder, "batches.npz"), {
        "{}/{}".format(step, name): array for step, batch in enumerate(batches) for name, array in batch.items()
    })


def _write_json(folder: str, facts: Dict[str, Any]) -> None:
    path = os.path.join(folder, RECORD)
    with open(path + ".part", "w", encoding="utf-8") as target:
        json.dump(facts, target, indent=1, sort_keys=True)
    os.replace(path + ".part", path)
