"""`metrics.jsonl`: a line of strict JSON per record, in the order of the steps, as if the run had never been killed.

    {"step": 100, "time": 1767225600.25, "loss": 0.5, "metrics": {"error": 0.25}, "learning_rate": 0.1,
     "examples_per_second": 1234.5, "input_wait": 0.02}
    {"step": 100, "time": 1767225601.5, "evaluation": {"error": 0.3, "loss": 0.6}}
"""
import errno
import json
import math
import os
from typing import Any, Dict, Iterator, Mapping, NamedTuple, Optional, Tuple

from legacy_towers.errors import ArgumentError
from legacy_towers.text.files import write_whole


class Kept(NamedTuple):
    """What `rewind` found.

    Attributes:
      evaluated: the step of the last evaluation; None if there is none.
      removed: lines after the step.
      damaged: lines that were not JSON of a record, an incomplete last one included.
    """

    evaluated: Optional[int]
    removed: int
    damaged: int


def to_line(record: Mapping[str, Any]) -> bytes:
    """Returns a record as a line of strict JSON, in which NaN and infinity are strings.

    These are "NaN", "Infinity" and "-Infinity", as in the JSON of protocol buffers: `float()` of Python reads them.
    """
    return (json.dumps(_strict(record), allow_nan=False) + "\n").encode("ascii")


def rewind(path: str, step: Optional[int]) -> Kept:
    """Removes what is after a global step from a file, and lines that are damaged or incomplete.

    Args:
      step: the global step that was restored; None: no line is removed for its step.

    Raises:
      ArgumentError: the file can't be read or written.
    """
    evaluated: Optional[int] = None
    removed = damaged = 0
    kept_until = 0  # the end of the last line that stays
    is_rest = True  # whether all that goes is after it
    try:
        if not os.path.exists(path):
            return Kept(None, 0, 0)
        for end, line in _lines(path):
            record = _record(line)
            if record is None:
                damaged += 1
                continue
            if step is not None and record["step"] > step:
                removed += 1
                continue
            if "evaluation" in record:
                evaluated = record["step"]
            is_rest = is_rest and kept_until == end - len(line)
            kept_until = end
        if not is_rest:
            kept = [line for _, line in _lines(path) if _stays(line, step)]
            write_whole(path, b"".join(kept).decode("utf-8"), "the metrics")
        elif kept_until < os.path.getsize(path):
            os.truncate(path, kept_until)
    except OSError as error:
        raise ArgumentError("the metrics file {} can't be used: {}".format(path, error.strerror or error)) from error
    return Kept(evaluated, removed, damaged)


def append(path: str, lines: bytes) -> None:
    """Appends whole lines by one write; after an error, the file is as it was.

    Raises:
      OSError: they can't be written.
    """
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    try:
        before = os.fstat(handle).st_size
        written = os.write(handle, lines)
        if written < len(lines):
            os.ftruncate(handle, before)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    finally:
        os.close(handle)


def _lines(path: str) -> Iterator[Tuple[int, bytes]]:
    """Yields (offset of its end, line) for each line, with its newline if it has one."""
    end = 0
    with open(path, "rb") as source:
        for line in source:
            end += len(line)
            yield end, line


def _stays(line: bytes, step: Optional[int]) -> bool:
    record = _record(line)
    return record is not None and (step is None or record["step"] <= step)


def _record(line: bytes) -> Optional[Dict[str, Any]]:
    """Returns the record of a line; None unless it is a complete line with a step."""
    if not line.endswith(b"\n"):
        return None
    try:
        record = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):  # the latter for JSON that is nested too deeply
        return None
    return record if isinstance(record, dict) and isinstance(record.get("step"), int) else None


def _strict(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _strict(value[name]) for name in value}
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value
