"""The calls that `op_differences` makes: one for each function of tf.image, tf.nn, tf.math, tf.linalg and tf itself.

A line of `op_calls.txt` has the inputs, which become x, y and z of the call. What an input is, is in `INPUTS`.
"""
import os
from typing import Dict, List, NamedTuple, Tuple

# Input -> its shape, and what its values are: "any" of the dtype that is tried, or a fixed kind.
INPUTS: Dict[str, Tuple[Tuple[int, ...], str]] = {
    "image": ((4, 6, 3), "any"),
    "images": ((2, 4, 6, 3), "any"),
    "large": ((1, 12, 12, 3), "any"),
    "gray": ((4, 6, 1), "any"),
    "even": ((2, 4, 4, 4), "any"),
    "signal": ((2, 8, 3), "any"),
    "volume": ((1, 4, 4, 4, 2), "any"),
    "scalar": ((), "any"),
    "vector": ((5,), "any"),
    "three": ((3,), "any"),
    "matrix": ((3, 4), "any"),
    "tall": ((4, 3), "any"),
    "square": ((3, 3), "positive"),
    "squares": ((2, 3, 3), "positive"),
    "cube": ((2, 3, 4), "any"),
    "rows": ((2, 3), "any"),
    "boxes": ((3, 4), "boxes"),
    "batch_boxes": ((2, 3, 4), "boxes"),
    "filter2d": ((3, 3, 3, 2), "any"),
    "depthwise": ((3, 3, 3, 1), "any"),
    "filter1d": ((3, 3, 2), "any"),
    "filter3d": ((2, 2, 2, 2, 3), "any"),
    "kernel2d": ((2, 2, 3), "any"),
    "ids": ((3,), "ids"),
    "ids5": ((5,), "ids"),
    "ids2x3": ((2, 3), "ids"),
    "lengths": ((2,), "ids"),
    "columns": ((3, 1), "ids"),
    "permutation": ((3,), "permutation"),
    "flags": ((3,), "flags"),
    "flags3x4": ((3, 4), "flags"),
    "words": ((3,), "words"),
    "numbers": ((3,), "numerals"),
    "png": ((), "png"),
    "gif": ((), "gif"),
    "jpeg": ((), "jpeg"),
    "bmp": ((), "bmp"),
}

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "op_calls.txt")


class Call(NamedTuple):
    inputs: List[str]
    text: str


def calls() -> List[Call]:
    """Returns the calls of the table, in order."""
    found = []
    with open(FILE, encoding="utf-8") as file:
        for line in file:
            inputs, _, text = line.strip().partition("  ") if "  " in line else line.strip().partition(" ")
            found.append(Call([each.strip() for each in inputs.split(",")], text.strip()))
    return found
