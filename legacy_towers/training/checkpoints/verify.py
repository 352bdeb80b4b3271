"""Checks that a checkpoint is complete and undamaged: by its manifest, or else by TensorFlow's own checksums."""
import os
from typing import Any, Optional

from legacy_towers.compat import tf
from legacy_towers.text.messages import first_line
from legacy_towers.training.checkpoints import files
from legacy_towers.training.checkpoints.manifest import SUFFIX, read_manifest

# TensorFlow's readers can't return values of these types, such as the state of an iterator.
_UNREADABLE = ("variant", "resource")


def damage(prefix: str) -> str:
    """Returns what is wrong with a checkpoint, in a clause that names the file; "" for a complete, undamaged one.

    A checkpoint with a manifest must match it byte for byte. One without, which a plain `tf.train.Saver` wrote, is read
    as a whole: TensorFlow keeps a CRC-32C of each tensor and of each block of the index.
    """
    if not files.exists(prefix + SUFFIX):
        return tensor_damage(prefix)
    try:
        manifest = read_manifest(prefix)
    except Exception as error:  # whatever the damaged bytes lead to
        return "{}{} is damaged: {}; without this file, the checkpoint is checked by TensorFlow's checksums".format(
            prefix, SUFFIX, error
        )
    return manifest.problem(os.path.dirname(prefix))


def tensor_damage(prefix: str) -> str:
    """Returns what is wrong with the tensors of a checkpoint by TensorFlow's own checksums; "" if nothing is."""
    if not files.exists(prefix + ".index") and not files.exists(prefix):  # the latter is the format before TF 0.12
        return "{}.index is missing".format(prefix)
    name: Optional[str] = None
    try:
        reader = tf.train.NewCheckpointReader(prefix)
        types = reader.get_variable_to_dtype_map()
        for name in sorted(types):
            if types[name].name not in _UNREADABLE:
                reader.get_tensor(name)
    except Exception as error:  # TF 1.15 and 2.x raise different errors
        return "{}({})".format("" if name is None else "{!r} can't be read ".format(name), first_line(error))
    return ""


def step_in(prefix: str) -> Optional[int]:
    """Returns the global step in a checkpoint; None if it has none, or can't be read."""
    try:
        if files.exists(prefix + SUFFIX):
            return read_manifest(prefix).step
    except Exception:  # damaged: `damage` says so
        pass
    try:
        reader: Any = tf.train.NewCheckpointReader(prefix)
        return int(reader.get_tensor(tf.GraphKeys.GLOBAL_STEP))
    except Exception:
        return None
