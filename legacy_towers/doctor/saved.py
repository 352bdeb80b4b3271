"""A checkpoint to examine: its files, and a summary of each of its values."""
import os
import re
from typing import Dict, List, NamedTuple, Optional, Tuple

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.errors import UserError
from legacy_towers.text.files import working_directory_of
from legacy_towers.text.messages import first_line
from legacy_towers.training.checkpoints import files

_PART = re.compile(r"(?P<prefix>.+?)\.(?:index|meta|data-\d{5}-of-\d{5})$")
_SHARD = re.compile(r"\.data-(\d{5})-of-(\d{5})$")


class Values(NamedTuple):
    """A summary of a tensor of numbers.

    Attributes:
      nans, infinities: the number of its elements that are NaN, and that are infinite.
      lowest, highest: of the others; 0.0 if there are none.
    """

    nans: int
    infinities: int
    lowest: float
    highest: float


class SavedCheckpoint:
    """A checkpoint.

    Args:
      prefix: its prefix, as `tf.train.Saver` takes it.

    Attributes:
      prefix: that.
      damage: what is wrong with its files, in a clause; "" if nothing was found so far.
      shapes: name -> shape of each tensor; empty if its index can't be read.
      unreadable: names of the tensors that could not be read, as far as `values` was asked for them.
    """

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.damage = _missing_files(prefix)
        self.shapes: Dict[str, Tuple[int, ...]] = {}
        self.unreadable: List[str] = []
        self._reader = None
        self._known: Dict[str, Optional[Values]] = {}
        try:
            self._reader = tf.train.NewCheckpointReader(prefix)
        except Exception as error:  # TF 1.15 and 2.x raise different errors
            self.damage = self.damage or "its index can't be read: {}".format(first_line(error))
            return
        self.shapes = {name: tuple(shape) for name, shape in self._reader.get_variable_to_shape_map().items()}
        self._types = {name: tf.as_dtype(each) for name, each in self._reader.get_variable_to_dtype_map().items()}

    @property
    def has_meta_graph(self) -> bool:
        return files.exists(self.prefix + ".meta")

    def values(self, name: str) -> Optional[Values]:
        """Returns a summary of a tensor; None if it holds no numbers, or can't be read."""
        if name not in self._known:
            self._known[name] = self._summary(name)
        return self._known[name]

    def global_step(self) -> Optional[int]:
        """Returns the global step; None if there is none."""
        values = self.values(tf.GraphKeys.GLOBAL_STEP) if tf.GraphKeys.GLOBAL_STEP in self.shapes else None
        return None if values is None else int(values.highest)

    def slots(self) -> Dict[str, str]:
        """Returns {tensor of an optimizer or a moving average ("w/Adam"): the variable that it belongs to ("w")}."""
        found = {}
        for name in self.shapes:
            owner = name.rpartition("/")[0]
            if owner in self.shapes:
                found[name] = owner
        return found

    def _summary(self, name: str) -> Optional[Values]:
        dtype = self._types[name]
        if not (dtype.is_floating or dtype.is_integer):
            return None
        try:
            array = np.asarray(self._reader.get_tensor(name))  # type: ignore[union-attr]
        except Exception as error:  # TF 1.15 and 2.x raise different errors
            self.unreadable.append(name)
            self.damage = self.damage or "{!r} can't be read: {}".format(name, first_line(error))
            return None
        if array.dtype.kind not in "iuf":  # bfloat16
            array = array.astype(np.float32)
        finite = np.isfinite(array)
        nans = int(np.isnan(array).sum())
        numbers = array[finite]
        lowest, highest = (float(numbers.min()), float(numbers.max())) if numbers.size else (0.0, 0.0)
        return Values(nans, int(array.size - finite.sum()) - nans, lowest, highest)


def find_checkpoint(path: str) -> str:
    """Returns the prefix of the checkpoint at `path`: its prefix, one of its files, or a folder, of which the newest.

    Raises:
      UserError: there is no checkpoint.
    """
    if files.is_directory(path):
        newest = tf.train.latest_checkpoint(path)
        prefixes = _prefixes_in(path)
        if newest is not None and newest in prefixes:
            return str(newest)
        if not prefixes:
            raise UserError("there is no checkpoint in the folder {!r}{}".format(path, working_directory_of(path)))
        return max(prefixes, key=_step_and_name)
    match = _PART.match(path)
    prefix = match.group("prefix") if match is not None else path
    if prefix not in _prefixes_in(os.path.dirname(prefix)) and not files.exists(prefix):
        raise UserError("there is no checkpoint {!r}{}".format(prefix, working_directory_of(prefix)))
    return prefix


def _prefixes_in(directory: str) -> List[str]:
    matches = [_PART.match(name) for name in files.names_in(directory or ".")]
    names = {each.group("prefix") for each in matches if each is not None and not each.group().endswith(".meta")}
    return [os.path.join(directory, name) for name in sorted(names)]


def _step_and_name(prefix: str) -> Tuple[int, str]:
    number = re.search(r"-(\d+)$", prefix)
    return (-1 if number is None else int(number.group(1))), prefix


def _missing_files(prefix: str) -> str:
    """Returns which files of a checkpoint are missing, in a clause; "" if all are there."""
    directory, name = os.path.split(prefix)
    present = files.names_in(directory or ".")
    if name in present:  # one file, the format from before TensorFlow 0.12
        return ""
    if name + ".index" not in present:
        return "its index {}.index is missing".format(name)
    shards = [_SHARD.match(each[len(name):]) for each in present if each.startswith(name + ".data-")]
    found = {(int(each.group(2)), int(each.group(1))) for each in shards if each is not None}
    if not found:
        return "it has no data file {}.data-00000-of-00001".format(name)
    count = max(count for count, _ in found)
    missing = [number for number in range(count) if (count, number) not in found]
    if not missing:
        return ""
    first = "{}.data-{:05d}-of-{:05d}".format(name, missing[0], count)
    return "{} of its {} data files {} missing: {}{}".format(
        len(missing), count, "is" if len(missing) == 1 else "are", first, "" if len(missing) == 1 else ", ..."
    )
