"""What the script's process does before the script's first line, and a process that is spawned before it loads it."""
import importlib.machinery
import os
import sys
import types
import warnings
from typing import FrozenSet, Optional

from legacy_towers.oldtf import current, tree
from legacy_towers.oldtf.launch import loader, tracebacks


def begin(run: current.ScriptRun, launcher: Optional[types.FrameType] = None) -> loader.ScriptFinder:
    """Makes `run` the one that this process executes, and returns what loads its files.

    Args:
      run: the script's.
      launcher: the frame that is about to run the script; None: Python itself loads it.
    """
    current.begin(run)
    finder = loader.install(run, _serves_tree(run))
    _hide_warnings()
    below = tracebacks.files_of(launcher)
    run.when_tensorflow_is_there(lambda: _hide_our_lines_of_operations(finder, below))
    run.when_tensorflow_is_there(lambda: _take_whole_floats_as_dimensions(finder))
    return finder


def _hide_our_lines_of_operations(finder: loader.ScriptFinder, below: FrozenSet[str]) -> None:
    from legacy_towers.compat import operation_traces

    finder.lasting.enter_context(operation_traces.without_files(below | tracebacks.hidden_files()))


def _take_whole_floats_as_dimensions(finder: loader.ScriptFinder) -> None:
    from legacy_towers.compat import whole_dimensions

    finder.lasting.enter_context(whole_dimensions.floats_are_taken())


def _serves_tree(run: current.ScriptRun) -> bool:
    """Returns whether the script's imports of tensorflow go to the tree."""
    spec = importlib.machinery.PathFinder.find_spec(tree.ROOT, [run.root] + sys.path)
    if spec is not None and spec.origin is not None and run.owns(spec.origin) and not _is_real(spec.origin):
        current.say("{}: this folder of yours is what the script imports as tensorflow".format(
            os.path.dirname(spec.origin)))
        return False
    return tree.is_needed()


def _is_real(origin: str) -> bool:
    """Returns whether `origin`, a tensorflow/__init__.py outside of site-packages, is TensorFlow itself."""
    folder = os.path.dirname(origin)
    signs = (os.path.join(folder, "python", "framework"), os.path.join(os.path.dirname(folder), "tensorflow_core"))
    return any(os.path.isdir(sign) for sign in signs)


def _hide_warnings() -> None:
    # What TensorFlow 2.x and tf_keras say of the age of names that TensorFlow 1.15 itself never warned of.
    keras = (r"`[Mm]odel\.\w+` (is deprecated|will be removed)", "You are saving your model as an HDF5 file")
    of_tf = (r"`tf\.(layers|nn\.rnn_cell)\.", r"`tf\.\S+` is deprecated", r"`layer\.\w+` is deprecated")
    for names in of_tf + keras:
        warnings.filterwarnings("ignore", message=names, category=UserWarning)
