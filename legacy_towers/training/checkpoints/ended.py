"""The file by which an evaluator, another process, knows that a training run has ended, and with which checkpoint."""
from typing import NamedTuple, Optional

from legacy_towers.training.checkpoints.json_values import read_value, remove_value, write_value
from legacy_towers.training.checkpoints.store import CheckpointStore

_FILE = "training_ended.json"


class Ended(NamedTuple):
    """The end of a training run.

    Attributes:
      step: its last global step, which has a checkpoint.
      signal: the number of the signal that ended it early; 0 without one.
    """

    step: int
    signal: int


def write_ended(store: CheckpointStore, ended: Ended) -> None:
    """Writes that the training has ended.

    Raises:
      SaveError: the file can't be written.
    """
    write_value(store, _FILE, ended)


def remove_ended(directory: str) -> None:
    """Removes the file of an earlier run, before this one begins."""
    remove_value(directory, _FILE)


def read_ended(directory: str) -> Optional[Ended]:
    """Returns the end of the training; None while it goes on."""
    return read_value(directory, _FILE, Ended)
