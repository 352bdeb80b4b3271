"""Batches whose missing keys are errors that list the keys of the batch."""
import os
import sys
from typing import Any, NoReturn, Optional

from legacy_towers.errors import BatchKeyError
from legacy_towers.tensor_types import NestedTensors
from legacy_towers.text.names import listed


class KeyedBatch(dict):
    """A dict whose error for a missing key names tower, line and keys. tf.nest treats it as a dict.

    Attributes:
      tower: the index of the tower; None in a copy that tf.nest makes.
    """

    tower: Optional[int] = None

    def __missing__(self, key: Any) -> NoReturn:
        of_tower = "" if self.tower is None else " of tower {}".format(self.tower)
        reader = sys._getframe(1)
        line = "{}:{}".format(os.path.basename(reader.f_code.co_filename), reader.f_lineno)
        has = listed(sorted(repr(each) for each in self)) or "no key"
        raise BatchKeyError("the batch{} has no {!r} ({}): it has {}".format(of_tower, key, line, has))


def with_known_keys(batch: NestedTensors, tower: int) -> NestedTensors:
    """Returns `batch`, each of its dicts as a `KeyedBatch`; subclasses of dict and other structures are kept."""
    if type(batch) is not dict:
        return batch
    keyed = KeyedBatch((key, with_known_keys(value, tower)) for key, value in batch.items())
    keyed.tower = tower
    return keyed
