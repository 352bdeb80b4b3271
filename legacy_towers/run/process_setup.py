"""Sets up a process to run a script: the script's own process, and processes that it spawns."""
import importlib.machinery
import os
import sys
import types
import warnings
from typing import FrozenSet, Optional

from legacy_towers.compat.tf1 import tree, user_script
from legacy_towers.compat.versions import keras, supported
from legacy_towers.run import deprecations, loader, replaced_modules, tracebacks
from legacy_towers.run.libraries import needed


def begin(run: user_script.ScriptRun, launcher: Optional[types.FrameType] = None) -> loader.ScriptFinder:
    """Starts `run` in this process and returns the finder of the script's modules.

    Args:
      run: the run of the script.
      launcher: the frame that executes the script; None if Python itself loads it.
    """
    user_script.begin(run)
    version = supported.tensorflow_version()
    if version is not None:
        keras.choose_for_process(version)
    finder = loader.install(run, _replaces_tensorflow(run), replaced_modules.replaced_modules())
    if not deprecations.are_printed(run):
        _hide_warnings()
    launcher_files = tracebacks.files_of(launcher)
    # After TensorFlow's import, which imports numpy: a script may set OMP_NUM_THREADS before.
    run.when_tensorflow_is_there(needed.print_numbers_as_numpy_1)
    run.when_tensorflow_is_there(lambda: _patch_operation_traces(finder, launcher_files))
    run.when_tensorflow_is_there(lambda: _patch_dimensions(finder))
    run.when_tensorflow_is_there(lambda: _patch_options(finder))
    run.when_tensorflow_is_there(lambda: _patch_classes(finder))
    return finder


def _patch_operation_traces(finder: loader.ScriptFinder, launcher_files: FrozenSet[str]) -> None:
    from legacy_towers.compat.patches import operation_traces

    finder.run.lasting.enter_context(operation_traces.without_files(launcher_files | tracebacks.hidden_files()))


def _patch_dimensions(finder: loader.ScriptFinder) -> None:
    from legacy_towers.compat.patches import dimensions, tensor_operands
    from legacy_towers.run.python2 import division
    from legacy_towers.run.rewriting import scalars

    operators = (division.__file__, scalars.__file__)
    finder.run.lasting.enter_context(dimensions.float_dimensions_allowed())
    finder.run.lasting.enter_context(dimensions.dimensions_are_true(finder.run.owns))
    finder.run.lasting.enter_context(dimensions.powers_of_dimensions())
    finder.run.lasting.enter_context(tensor_operands.lists_of_tensors_are_operands(finder.run.owns, operators))


def _patch_options(finder: loader.ScriptFinder) -> None:
    from legacy_towers.compat.patches import dataset_options

    finder.run.lasting.enter_context(dataset_options.options_of_1_15_allowed(user_script.report_replacement))


def _patch_classes(finder: loader.ScriptFinder) -> None:
    from legacy_towers.compat.patches import class_methods

    finder.run.lasting.enter_context(class_methods.classes_have_methods_of_1_15())


def _replaces_tensorflow(run: user_script.ScriptRun) -> bool:
    """Returns whether the script's imports of tensorflow get TensorFlow 1.x: not if it has a tensorflow of its own."""
    spec = importlib.machinery.PathFinder.find_spec(tree.ROOT, [run.root] + sys.path)
    if spec is not None and spec.origin is not None and run.owns(spec.origin) and not _is_real(spec.origin):
        user_script.print_message(
            "the script imports its own folder {} as tensorflow".format(os.path.dirname(spec.origin))
        )
        return False
    return tree.is_needed()


def _is_real(origin: str) -> bool:
    """Returns whether `origin`, a tensorflow/__init__.py outside site-packages, belongs to TensorFlow itself."""
    folder = os.path.dirname(origin)
    parts = (os.path.join(folder, "python", "framework"), os.path.join(os.path.dirname(folder), "tensorflow_core"))
    return any(os.path.isdir(part) for part in parts)


def _hide_warnings() -> None:
    # Deprecation warnings of TensorFlow 2.x and tf_keras for names that TensorFlow 1.15 does not warn of.
    keras = (r"`[Mm]odel\.\w+` (is deprecated|will be removed)", "You are saving your model as an HDF5 file")
    of_tf = (r"`tf\.(layers|nn\.rnn_cell)\.", r"`tf\.\S+` is deprecated", r"`layer\.\w+` is deprecated")
    for names in of_tf + keras:
        warnings.filterwarnings("ignore", message=names, category=UserWarning)
