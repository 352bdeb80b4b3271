"""Predictions as files: JSON lines, or numpy's .npz."""
import json
import os
import sys
from typing import Any, Dict, Iterable, List, Optional

import numpy as np

from legacy_towers import structure
from legacy_towers.errors import ArgumentError
from legacy_towers.training.places import check_file


def check_output(path: Optional[str]) -> None:
    """Raises ArgumentError unless predictions can be written to `path`; None is standard output."""
    if path is None:
        return
    if os.path.splitext(path)[1] not in (".jsonl", ".npz"):
        raise ArgumentError("--output is {!r}: allowed are names that end in .jsonl or .npz".format(path))
    check_file("--output", path)


def write_predictions(predictions: Iterable[Any], path: Optional[str]) -> int:
    """Writes one prediction per example and returns how many there were; a file appears whole or not at all."""
    if path is None:
        return _write_lines(predictions, sys.stdout)
    partial = path + ".part"
    try:
        if path.endswith(".npz"):
            with open(partial, "wb") as binary:
                count = _write_arrays(predictions, binary)
        else:
            with open(partial, "w") as text:
                count = _write_lines(predictions, text)
        os.replace(partial, path)
    finally:
        if os.path.exists(partial):
            os.remove(partial)
    return count


def _write_lines(predictions: Iterable[Any], stream: Any) -> int:
    count = 0
    for count, prediction in enumerate(predictions, start=1):
        plain = structure.map_leaves(_plain, prediction)
        stream.write(json.dumps({"example": count - 1, "predictions": plain}) + "\n")
    return count


def _plain(value: Any) -> Any:
    value = np.asarray(value).tolist()
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else value


def _write_arrays(predictions: Iterable[Any], stream: Any) -> int:
    columns: Dict[str, List[Any]] = {}
    for prediction in predictions:
        for path, value in structure.leaves(prediction):
            columns.setdefault(path or "predictions", []).append(value)
    arrays: Dict[str, Any] = {name: np.stack(values) for name, values in columns.items()}
    np.savez(stream, **arrays)
    return max((len(values) for values in columns.values()), default=0)
