"""What one TensorFlow computes for a job, written to a folder, so that another one can be compared with it.

    record.json       versions, variables, losses
    batches.npz       "3/tower 0/image": what tower 0 got in step 3
    gradients.npz     of the first step, by variable
    before-3.npz      the values of all variables before step 3
"""
import json
import os
import sys
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.config import session_config
from legacy_towers.graph_walk import ancestors
from legacy_towers.inputs.base import Input
from legacy_towers.inputs.replay import ReplayedInput, parts_of
from legacy_towers.inputs.ways import make_way
from legacy_towers.jobs import load_job
from legacy_towers.parity.arrays_file import read_arrays, write_arrays
from legacy_towers.parity.variables import VariableValues
from legacy_towers.step import TrainStep
from legacy_towers.training.building import build_job_step
from legacy_towers.training.places import tower_devices

Batch = Dict[str, np.ndarray]  # "tower 0/image" -> array
RECORD = "record.json"


class Request(NamedTuple):
    """What to record.

    Attributes:
      job: a JOB, as the command line takes it.
      options: the job's own options.
      towers, device, per_tower_batch_size: the towers; None: the job's batch size.
      steps: how many steps.
      folder: where the record goes.
      reference: the folder of the record to be compared with, whose values and batches are taken; None: this is it.
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
    """Records a job; see the module."""
    job = load_job(request.job)(**request.options)
    devices = tower_devices(request.device, request.towers)
    config = session_config(logical_cpus=request.towers if request.device == "cpu" else 1)
    size = request.per_tower_batch_size or job.per_tower_batch_size
    source = make_way("dataset:split", job.train, per_tower_batch_size=size, order="fixed")
    batches = _pull(source, devices, config, request.steps)
    _write_batches(request.folder, batches)
    if request.reference is not None:
        batches = read_batches(request.reference, request.steps)
    with tf.Graph().as_default():
        replayed = ReplayedInput(source)
        step = build_job_step(job, replayed, devices)
        facts = {
            "tensorflow": tf.__version__,
            "python": ".".join(str(part) for part in sys.version_info[:3]),
            "onednn": os.environ.get("TF_ENABLE_ONEDNN_OPTS"),
            "loss_dtype": step.loss.dtype.base_dtype.name,
            "random_ops": _random_operations(step),
        }
        values = VariableValues()
        facts["variables"] = json.loads(json.dumps(values.facts()))
        if request.reference is not None and facts["variables"] != read_record(request.reference)["variables"]:
            _write_json(request.folder, facts)  # nothing more can be compared
            return
        with tf.Session(config=config) as session:
            session.run([tf.global_variables_initializer(), tf.local_variables_initializer(), tf.tables_initializer()])
            facts.update(_compute(request, session, step, replayed, values, batches))
    _write_json(request.folder, facts)


def _compute(
    request: Request,
    session: Any,
    step: TrainStep,
    replayed: ReplayedInput,
    values: VariableValues,
    batches: Sequence[Batch],
) -> Dict[str, Any]:
    start = values.read(session) if request.reference is None else read_values(request.reference, 0)
    values.write(session, start)
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
        free.append(float(session.run([step.loss, step.turns.op(index)], feed)[0]))
    restarted: List[float] = []
    if request.reference is not None:
        for index, batch in enumerate(batches):
            values.write(session, read_values(request.reference, index))
            feed = replayed.feed_dict(batch)
            restarted.append(float(session.run([step.loss, step.turns.op(index)], feed)[0]))
    return {"free": [value.hex() for value in free], "restarted": [value.hex() for value in restarted]}


def _pull(source: Input, devices: Sequence[str], config: Any, steps: int) -> List[Batch]:
    with tf.Graph().as_default():
        tf.train.get_or_create_global_step()  # a MonitoredTrainingSession wants one
        batches = source.build(devices)
        # By identities: a session gives back what was fed without looking at it.
        leaves = {name: tf.identity(leaf) for name, leaf in parts_of(batches).items()}
        with tf.train.MonitoredTrainingSession(hooks=batches.hooks, config=config) as session:
            return [
                {name: np.asarray(value) for name, value in session.run(leaves).items()} for _ in range(steps)
            ]


def _random_operations(step: TrainStep) -> List[str]:
    """Returns the names of the ops in the towers' forward passes that draw random numbers from no fixed input."""
    return sorted(
        operation.name for operation in ancestors([tower.loss for tower in step.towers])
        if "Random" in operation.type or operation.type in ("TruncatedNormal", "Multinomial", "StatelessMultinomial")
        if not operation.type.startswith("Stateless")
    )


def read_record(folder: str) -> Dict[str, Any]:
    """Returns the record's facts."""
    with open(os.path.join(folder, RECORD), encoding="utf-8") as source:
        return dict(json.load(source))


def read_batches(folder: str, steps: int) -> List[Batch]:
    """Returns what the towers got in each step."""
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
