"""Reads and writes variables under their checkpoint names, and joins the parts of partitioned variables."""
import contextlib
import os
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.compat.versions.slices import slice_of
from legacy_towers.inputs.base import Input
from legacy_towers.parity.arrays_file import read_arrays, write_arrays
from legacy_towers.step import TrainStep
from legacy_towers.tensor_types import ConfigProto, Session, Variable
from legacy_towers.training.building import build_job_step
from legacy_towers.training.job import Job


class _Piece(NamedTuple):
    """A part of a partitioned variable: the name and shape of the whole variable, and the slices of the part."""

    name: str
    shape: Tuple[int, ...]
    slices: Tuple[slice, ...]


def _piece(variable: Variable) -> Optional[_Piece]:
    found = slice_of(variable)
    if found is None:
        return None
    slices = tuple(slice(start, start + size) for start, size in zip(found.offset, variable.shape.as_list()))
    return _Piece(found.whole, tuple(found.whole_shape), slices)


def join_parts(variables: Sequence[Variable], arrays: Sequence[np.ndarray]) -> Dict[str, np.ndarray]:
    """Returns checkpoint name -> array, from one array per variable or part of a variable."""
    whole: Dict[str, np.ndarray] = {}
    for variable, array in zip(variables, arrays):
        piece = _piece(variable)
        if piece is None:
            whole[str(variable.op.name)] = np.asarray(array)
            continue
        if piece.name not in whole:
            whole[piece.name] = np.zeros(piece.shape, np.asarray(array).dtype)
        whole[piece.name][piece.slices] = array
    return whole


class WholeValues:
    """Reads and writes the global variables of the default graph; adds one placeholder per variable to it."""

    def __init__(self) -> None:
        self._variables: List[Any] = tf.global_variables()
        self._placeholders: List[Any] = []
        self._assigns: List[Any] = []
        with tf.name_scope("parity"):
            for variable in self._variables:
                with tf.device(variable.device):
                    placeholder = tf.placeholder(variable.dtype.base_dtype, variable.shape)
                    self._placeholders.append(placeholder)
                    self._assigns.append(tf.assign(variable, placeholder).op)

    def read(self, session: Session) -> Dict[str, np.ndarray]:
        """Returns name -> value."""
        return join_parts(self._variables, session.run(self._variables))

    def write(self, session: Session, values: Dict[str, np.ndarray]) -> List[str]:
        """Assigns name -> value to variables; returns the names of variables without a value."""
        feed, assigns, others = {}, [], []
        for variable, placeholder, assign in zip(self._variables, self._placeholders, self._assigns):
            piece = _piece(variable)
            name = str(variable.op.name) if piece is None else piece.name
            if name not in values:
                others.append(name)
                continue
            # A copy: a variable may keep an aligned array without copying it, and update it in place.
            feed[placeholder] = np.array(values[name] if piece is None else values[name][piece.slices])
            assigns.append(assign)
        session.run(assigns, feed)
        return others


@contextlib.contextmanager
def session_from_values(
    values_path: str,
    job: Job,
    source: Input,
    devices: Sequence[str],
    config: ConfigProto,
    model_fn: Optional[Callable[[Any, str], Any]] = None,
) -> Iterator[Tuple[TrainStep, Any]]:
    """Builds the step of a job in a new graph, and yields it with a session that has the given initial values.

    Args:
      values_path: a file with the values of variables, under their names in a checkpoint; created with the values of
        this run if it does not exist. Variables that it lacks, such as those of a reduction, are initialized.
      model_fn: replaces the model function of the job.
    """
    with tf.Graph().as_default():
        step = build_job_step(job, source, devices, model_fn)
        values = WholeValues()
        with tf.Session(config=config) as session:
            session.run(tf.global_variables_initializer())
            if not os.path.exists(values_path):
                write_arrays(values_path, values.read(session))
            values.write(session, read_arrays(values_path))
            yield step, session
