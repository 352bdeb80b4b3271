"""Access to the TensorFlow 1.x API of `tree`, for the modules that implement it.

They need it where they must use what the script sees: an Estimator opens sessions with the options of `run`, and a name
from before 1.0 is an alias of another name of the API. They can't import `tree`, whose symbols name them as targets.
The functions here find it through its finder in `sys.meta_path` instead.
"""
import importlib
import sys
from typing import Any, Iterable, Optional


class ViewFinder:
    """A finder in `sys.meta_path` that makes the modules of an old API, the view, importable.

    Args:
      root: the package whose old API it is: "tensorflow" or "keras".
    """

    def __init__(self, root: str) -> None:
        self.root = root

    def module(self, name: str) -> Any:
        """Returns the module `name` of the view: "tensorflow.contrib.layers"."""
        raise NotImplementedError

    def is_imported(self) -> bool:
        """Returns whether this process has imported the root of the view."""
        raise NotImplementedError

    def forget(self, names: Iterable[str]) -> None:
        """Drops what the view has cached for `names` ("tensorflow.Session"), whose symbols change with the script."""
        raise NotImplementedError


def installed(root: str) -> Optional[ViewFinder]:
    """Returns the finder of the view of `root`, None if this process has not installed it."""
    for finder in sys.meta_path:
        if isinstance(finder, ViewFinder) and finder.root == root:
            return finder
    return None


def module(name: str) -> Any:
    """Returns the module `name` ("tensorflow.nn") of the view, or of the installed package if no view is installed.

    Raises:
      ImportError: the module does not exist.
    """
    finder = installed(name.partition(".")[0])
    if finder is not None:
        return finder.module(name)
    return tensorflow() if name == "tensorflow" else importlib.import_module(name)


def tensorflow() -> Any:
    """Returns `tf` of the view, or TensorFlow's own TF1 API if no view is installed."""
    finder = installed("tensorflow")
    if finder is not None:
        return finder.module("tensorflow")
    from legacy_towers.compat.versions import tf

    return tf
