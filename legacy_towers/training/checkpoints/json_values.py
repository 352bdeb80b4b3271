"""Small files of one NamedTuple each, by which the processes of a run exchange it."""
import json
import os
from typing import Any, Optional, Type, TypeVar

from legacy_towers.training.checkpoints import files
from legacy_towers.training.checkpoints.store import CheckpointStore

Value = TypeVar("Value")


def write_value(store: CheckpointStore, name: str, value: Any) -> None:
    """Writes a NamedTuple of JSON values as the file `name` of the store's directory.

    Raises:
      SaveError: the file can't be written.
    """
    store.write_text(name, json.dumps(dict(value._asdict())) + "\n")


def remove_value(directory: str, name: str) -> None:
    """Removes the file of an earlier run, if there is one."""
    path = os.path.join(directory, name)
    if files.exists(path):
        files.remove(path)


def read_value(directory: str, name: str, kind: Type[Value]) -> Optional[Value]:
    """Returns the NamedTuple of type `kind` that the file `name` has; None without the file."""
    path = os.path.join(directory, name)
    if not files.exists(path):
        return None
    return kind(**json.loads(files.read(path).decode("utf-8")))
