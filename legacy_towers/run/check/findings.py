"""Types: what is found in one file, and the lookups that reading it needs."""
from typing import Callable, Dict, FrozenSet, List, NamedTuple, Optional, Tuple

ROOT = "tensorflow"
# The standalone package of Keras.
KERAS = "keras"
# The dotted names that a local name may refer to: of TensorFlow, of the script's own modules, and of modules that
# version checks use.
Meanings = FrozenSet[str]
NOTHING: Meanings = frozenset()


class Use(NamedTuple):
    """One use of a TensorFlow name.

    Attributes:
      meanings: the dotted names that it may refer to, sorted.
      line: line in the file, from 1.
      column: column in the line, from 1.
      guarded_by: numbers of the `try` statements whose bodies contain it and that catch a missing name.
      fallback_of: numbers of the `try` statements whose handlers contain it.
      only_if: the flag whose default excludes it, as a condition: "--use_gan"; "" if there is none.
    """

    meanings: Tuple[str, ...]
    line: int
    column: int
    guarded_by: Tuple[int, ...]
    fallback_of: Tuple[int, ...]
    only_if: str = ""


class NotUnderstood(NamedTuple):
    """A place that may use TensorFlow names which are known only at run time.

    Attributes:
      line: line in the file, from 1.
      why: the reason, as a clause.
    """

    line: int
    why: str


class Found(NamedTuple):
    """The TensorFlow names that one file uses.

    Attributes:
      uses: the uses, in the order in which they were read.
      not_understood: the places whose names are known only at run time.
      bound: module-level name -> the dotted names that it may refer to, for files that import this one.
    """

    uses: List[Use]
    not_understood: List[NotUnderstood]
    bound: Dict[str, Meanings]


class Lookups(NamedTuple):
    """The lookups outside of the file that reading it needs.

    Attributes:
      exists: returns whether a dotted TensorFlow name exists.
      is_module: returns whether a dotted TensorFlow name is an existing module.
      names_of: returns the public names of a TensorFlow module, for `from tensorflow.x import *`.
      module: resolves an import of one of the script's modules: (dotted name, level of a relative import) -> the name
        that `bound_in` takes; None for a module that is not the script's.
      bound_in: returns the names that a module of the script binds at its top level.
      replaces_keras: whether `run` replaces `import keras` with tf.keras; the names of keras are then checked, too.
    """

    exists: Callable[[str], bool]
    is_module: Callable[[str], bool]
    names_of: Callable[[str], List[str]]
    module: Callable[[str, int], Optional[str]]
    bound_in: Callable[[str], Dict[str, Meanings]]
    replaces_keras: bool


def is_tensorflow(meaning: str) -> bool:
    """Returns whether a dotted name belongs to tensorflow or keras."""
    return meaning.split(".")[0] in (ROOT, KERAS)
