"""What is found in one file, and what its reader asks of the world outside of the file."""
from typing import Callable, Dict, FrozenSet, List, NamedTuple, Optional, Tuple

ROOT = "tensorflow"
# The package of its own that Keras was.
KERAS = "keras"
# What a local name may be: dotted names of TensorFlow, of the script's own modules and of modules that conditions ask.
Meanings = FrozenSet[str]
NOTHING: Meanings = frozenset()


class Use(NamedTuple):
    """One place where a name of TensorFlow stands.

    Attributes:
      meanings: the dotted names that it may be, sorted.
      line: of the file, from 1.
      column: from 1.
      guarded_by: numbers of the `try`s in whose bodies it stands and that go on where it is missing.
      fallback_of: numbers of the `try`s in whose handlers it stands.
    """

    meanings: Tuple[str, ...]
    line: int
    column: int
    guarded_by: Tuple[int, ...]
    fallback_of: Tuple[int, ...]


class NotUnderstood(NamedTuple):
    """A place that may use names of TensorFlow which can't be told without running it."""

    line: int
    why: str


class Found(NamedTuple):
    """What one file uses.

    Attributes:
      uses: in the order in which they were read.
      not_understood: see there.
      bound: module-level name -> what it may be, for files that import this one.
    """

    uses: List[Use]
    not_understood: List[NotUnderstood]
    bound: Dict[str, Meanings]


class Asked(NamedTuple):
    """What the reader asks of the world outside of the file.

    Attributes:
      exists: whether a dotted name of TensorFlow is there.
      is_module: whether a dotted name of TensorFlow is a module that is there.
      names_of: the public names of a module of TensorFlow, for `from tensorflow.x import *`.
      module: the module of the script that an import names: (dotted name, level of a relative one) -> the dotted name
        under which `bound_in` knows it, None for a module that is not the script's.
      bound_in: what a module of the script binds at its top level.
      serves_keras: whether a script under `run` gets tf.keras where it imports keras; its names are followed then.
    """

    exists: Callable[[str], bool]
    is_module: Callable[[str], bool]
    names_of: Callable[[str], List[str]]
    module: Callable[[str, int], Optional[str]]
    bound_in: Callable[[str], Dict[str, Meanings]]
    serves_keras: bool


def is_tensorflow(meaning: str) -> bool:
    """Returns whether a dotted name is TensorFlow's, or that of Keras where its names are followed."""
    return meaning.split(".")[0] in (ROOT, KERAS)
