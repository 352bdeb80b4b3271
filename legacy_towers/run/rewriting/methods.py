"""The functions that rewritten scripts call for attributes, conversions, arithmetic and files; see `rewriter`."""
import io
from typing import Any

from legacy_towers.compat.tf1 import user_script
from legacy_towers.run.rewriting import file_modes, quotients
from legacy_towers.run.rewriting.array_values import arithmetic, change, formatted, number, section, store
from legacy_towers.run.rewriting.attributes import attribute

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
    """Returns type(value); tf.Tensor for every tensor of a graph, as scripts check by `type(x) is tf.Tensor`.

    Since TensorFlow 2.14 such a tensor is of a subclass, and a quotient may be a `WholeFloat`, a subclass of float.
    """
    kind = type(value)
    if kind is quotients.WholeFloat:
        return float
    if kind.__name__ == "SymbolicTensor" and kind.__module__.startswith("tensorflow."):
        return next(base for base in kind.__mro__ if base.__name__ == "Tensor")
    return kind


def opened(file: Any, mode: str = "r", *arguments: Any, **options: Any) -> Any:
    """open(), which accepts "rU", too: in Python 3 "r" translates all line ends to \\n."""
    if isinstance(mode, str) and "U" in mode:
        user_script.report_replacement("the mode {!r} of open".format(mode), repr(file_modes.without_u(mode)))
        mode = file_modes.without_u(mode)
    return io.open(file, mode, *arguments, **options)
