"""Checks, before restoring, that a checkpoint fits the graph."""
from typing import Any, Dict, Iterable, List, Union

from legacy_towers.compat import tf
from legacy_towers.compat.versions.slices import slice_of
from legacy_towers.errors import JobError
from legacy_towers.text.names import quoted

# What a tf.train.Saver takes for one name: a variable, or the list of the parts of a partitioned one.
Saved = Union[Any, List[Any]]


def check_fits(checkpoint: str, variables: Dict[str, Saved]) -> None:
    """Raises JobError if a checkpoint lacks a variable or has it with another shape.

    Its values are not read: whoever finds a checkpoint (`find_newest`) has verified them.

    Args:
      variables: name in the checkpoint -> variable, or the parts of one; see `by_checkpoint_name`.
    """
    reader = tf.train.load_checkpoint(checkpoint)
    shapes = reader.get_variable_to_shape_map()
    missing = sorted(name for name in variables if name not in shapes)
    if missing:
        raise JobError(
            "the checkpoint {} lacks {}: it was written by another model, or with other training options".format(
                checkpoint, quoted(missing)
            )
        )
    for name in sorted(variables):
        expected = _whole_shape(variables[name])
        if not expected.is_compatible_with(shapes[name]):
            raise JobError(
                "the checkpoint {} has {!r} with shape {}, the model has {}: it was written by another model".format(
                    checkpoint, name, list(shapes[name]), expected.as_list()
                )
            )


def by_checkpoint_name(variables: Iterable[Any]) -> Dict[str, Saved]:
    """Returns name in a checkpoint -> variable, or list of parts, as `tf.train.Saver` takes it.

    A partitioned variable has one name in a checkpoint.
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
        return tf.TensorShape(slice_of(saved[0]).whole_shape)  # type: ignore[union-attr]  # each is a part
    return saved.shape
