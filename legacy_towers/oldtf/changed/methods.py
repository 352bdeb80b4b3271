"""What `rewriting` puts into scripts in place of methods, conversions and calls that Python and numpy changed."""
import io
from typing import Any

from legacy_towers.oldtf import current
from legacy_towers.oldtf.changed import quotients
from legacy_towers.oldtf.changed.array_values import arithmetic, change, formatted, number, section, store
from legacy_towers.oldtf.changed.attributes import attribute

__all__ = [
    "arithmetic",
    "attribute",
    "change",
    "formatted",
    "number",
    "opened",
    "section",
    "store",
    "type_of",
]


def type_of(value: Any) -> type:
    """Returns type(x), tf.Tensor for every tensor of a graph, as in 1.x: `if type(x) is tf.Tensor`.

    Since TensorFlow 2.14 such a tensor is of a class below it, and a quotient may be of one below float.
    """
    kind = type(value)
    if kind is quotients.WholeFloat:
        return float
    if kind.__name__ == "SymbolicTensor" and kind.__module__.startswith("tensorflow."):
        return next(base for base in kind.__mro__ if base.__name__ == "Tensor")
    return kind


def opened(file: Any, mode: str = "r", *arguments: Any, **options: Any) -> Any:
    """open(), in the mode "rU" too: all line ends are read as \\n, which is what "r" does."""
    if isinstance(mode, str) and "U" in mode:
        current.say_once("the mode {!r} of open".format(mode), repr(_without_u(mode)))
        mode = _without_u(mode)
    return io.open(file, mode, *arguments, **options)


def _without_u(mode: str) -> str:
    plain = mode.replace("U", "")
    return plain if "r" in plain else "r" + plain
