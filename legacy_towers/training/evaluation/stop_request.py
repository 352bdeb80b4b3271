"""The file by which an evaluator, which is another process, requests early stopping."""
from typing import Optional

from legacy_towers.training.checkpoints.json_values import read_value, remove_value, write_value
from legacy_towers.training.checkpoints.store import CheckpointStore
from legacy_towers.training.evaluation.options import Stopped

_FILE = "stop_early.json"


def write_stop_request(store: CheckpointStore, stopped: Stopped) -> None:
    """Writes into the directory of the evaluations why the training is to stop.

    Raises:
      SaveError: the file can't be written.
    """
    write_value(store, _FILE, stopped)


def remove_stop_request(directory: str) -> None:
    """Removes the file of an earlier run, before this one begins."""
    remove_value(directory, _FILE)


def read_stop_request(directory: str) -> Optional[Stopped]:
    """Returns why the training is to stop; None while it can go on."""
    return read_value(directory, _FILE, Stopped)
