"""Checkpoints: find the latest, and say before restoring whether it fits the graph."""
import os
from typing import Any, Dict, Iterable, List, Optional, Union

from legacy_towers.compat import tf
from legacy_towers.compat.slices import slice_of
from legacy_towers.errors import JobError
from legacy_towers.names import quoted

# What a Saver takes for one name: a variable, or the parts of a partitioned one.
Saved = Union[Any, List[Any]]


def latest_checkpoint(directory: str) -> Optional[str]:
    """Returns the prefix of the newest checkpoint in `directory`, None if it holds none.

    Raises:
      JobError: the directory's list of checkpoints names one that is not there.
    """
    state = tf.train.get_checkpoint_state(directory)
    if state is None or not state.model_checkpoint_path:
        return None
    if not tf.train.checkpoint_exists(state.model_checkpoint_path):
        raise JobError(
            "{} names {}, which is not there: put its files back, or delete the list to start anew".format(
                os.path.join(directory, "checkpoint"), state.model_checkpoint_path
            )
        )
    return str(state.model_checkpoint_path)


def require_checkpoint(directory: str) -> str:
    """Returns the prefix of the newest checkpoint in `directory`.

    Raises:
      JobError: there is none.
    """
    checkpoint = latest_checkpoint(directory)
    if checkpoint is None:
        raise JobError(
            "there is no checkpoint in {!r}: train first, with --checkpoint-dir {}".format(directory, directory)
        )
    return checkpoint


def step_of(checkpoint: str) -> int:
    """Returns the global step that a checkpoint holds.

    Raises:
      JobError: it holds none.
    """
    reader = tf.train.load_checkpoint(checkpoint)
    if not reader.has_tensor(tf.GraphKeys.GLOBAL_STEP):
        raise JobError("the checkpoint {} holds no global step: training can't go on from it".format(checkpoint))
    return int(reader.get_tensor(tf.GraphKeys.GLOBAL_STEP))


def check_fits(checkpoint: str, variables: Dict[str, Saved]) -> None:
    """Raises JobError if a checkpoint is damaged, lacks a variable or holds it in another shape; names them.

    Args:
      checkpoint: a checkpoint's prefix.
      variables: name in the checkpoint -> variable, or all parts of one; see `by_checkpoint_name`.
    """
    reader = tf.train.load_checkpoint(checkpoint)
    shapes = reader.get_variable_to_shape_map()
    missing = sorted(name for name in variables if name not in shapes)
    if missing:
        raise JobError(
            "the checkpoint {} lacks {}: it is of another model, or of other training options".format(
                checkpoint, quoted(missing)
            )
        )
    for name in sorted(variables):
        expected = _whole_shape(variables[name])
        if not expected.is_compatible_with(shapes[name]):
            raise JobError(
                "the checkpoint {} holds {!r} with shape {}, the model has {}: it is of another model".format(
                    checkpoint, name, list(shapes[name]), expected.as_list()
                )
            )
        _check_readable(reader, name, checkpoint)


def _check_readable(reader: Any, name: str, checkpoint: str) -> None:
    try:
        reader.get_tensor(name)
    except Exception as error:  # TF 1.15 and 2.x raise differently
        raise JobError(
            "the checkpoint {} is damaged, {!r} can't be read ({}): remove its files, and name an earlier one in the "
            "file 'checkpoint' beside them".format(checkpoint, name, str(error).splitlines()[0])
        ) from error


def by_checkpoint_name(variables: Iterable[Any]) -> Dict[str, Saved]:
    """Returns name in a checkpoint -> variable, or list of parts: a partitioned variable has one name in a checkpoint.

    `tf.train.Saver` takes such a dict.
    """
    named: Dict[str, Saved] = {}
    for variable in variables:
        part = slice_of(variable)
        if part is None:
            named[str(variable.op.name)] = variable
        else:
            named.setdefault(part.whole, []).append(variable)
    return named


def _whole_shape(saved: Saved) -> Any:
    if isinstance(saved, list):
        return tf.TensorShape(slice_of(saved[0]).whole_shape)  # type: ignore[union-attr]  # parts, all of them
    return saved.shape
