"""The file by which an evaluator, which is another process, requests early stopping."""
import json
import os
from typing import Optional

from legacy_towers.training.checkpoints import files
from legacy_towers.training.checkpoints.store import CheckpointStore
from legacy_towers.training.evaluation.options import Stopped

_FILE = "stop_early.json"


def write_stop_request(store: CheckpointStore, stopped: Stopped) -> None:
    """Writes into the directory of the evaluations why the training is to stop.

    Raises:
      SaveError: the file can't be written.
    """
    store.write_text(_FILE, json.dumps(dict(stopped._asdict())) + "\n")


def remove_stop_request(directory: str) -> None:
    """Removes the file of an earlier run, before this one begins."""
    path = os.path.join(directory, _FILE)
    if files.exists(path):
        files.remove(path)


def read_stop_request(directory: str) -> Optional[Stopped]:
    """Returns why the training is to stop; None while it can go on."""
    path = os.path.join(directory, _FILE)
    if not files.exists(path):
        return None
    return Stopped(**json.loads(files.read(path).decode("utf-8")))
