"""Imports TensorFlow, switches it to TF1 behaviour, and makes a view of its TF1 API."""
import contextlib
import importlib
import logging
import sys
import warnings
from typing import Any, Callable, Dict, Iterator, Optional

from legacy_towers.compat.versions import eager, keras, packages, supported
from legacy_towers.compat.versions.module_view import ModuleView
from legacy_towers.compat.versions.supported import FIRST_WITH_KERAS_3, Version
from legacy_towers.errors import EnvironmentProblem


def load_tensorflow() -> Any:
    """Returns the TF1 API as a view of the module `tensorflow.compat.v1`, with TF1 behaviour on.

    Raises:
        EnvironmentProblem: TensorFlow is missing, unsupported or can't be imported, or eager operations have run.
    """
    python = sys.version_info[:2]
    if "tensorflow" not in sys.modules and not packages.is_importable("tensorflow"):
        raise EnvironmentProblem(supported.missing_problem(python))
    expected = supported.tensorflow_version()
    if expected is not None:
        _raise_if(supported.unsupported_problem(expected, python))
    tf = _import_tensorflow(expected)
    version = supported.parse(tf.__version__)
    _raise_if(supported.unsupported_problem(version, python))
    _warn_if(supported.untested_warning(version))
    _switch_to_tf1_behaviour(tf)
    return _view(tf, version)


def _raise_if(problem: Optional[str]) -> None:
    if problem is not None:
        raise EnvironmentProblem(problem)


def _warn_if(sentence: Optional[str]) -> None:
    if sentence is not None:
        warnings.warn(sentence, stacklevel=4)


def _import_tensorflow(expected: Optional[Version]) -> Any:
    try:
        with warnings.catch_warnings():
            # numpy 1.17 and 1.18 warn twelve times of how TensorFlow 1.15 makes its dtypes.
            warnings.filterwarnings("ignore", r"Passing \(type, 1\)", FutureWarning)
            return importlib.import_module("tensorflow.compat.v1")
    except Exception as error:  # TypeError from a protobuf too new, ImportError from a missing library, ...
        reason = (str(error).strip().splitlines() or [repr(error)])[0]
        hint = ""
        if expected is not None and expected.pair == (1, 15):
            hint = '; TensorFlow 1.15 needs: pip install "protobuf<3.21" "numpy<1.19"'
        raise EnvironmentProblem(
            "TensorFlow is installed, but importing it fails with {}: {}{}".format(type(error).__name__, reason, hint)
        ) from error


def _switch_to_tf1_behaviour(tf: Any) -> None:
    if not eager.is_tf2_behaviour():
        return  # TensorFlow 1.15, or the user has switched already: the user's other settings are kept
    if eager.has_started():
        raise EnvironmentProblem(
            "eager operations have already run in this process, so TensorFlow can't switch to graphs and sessions any "
            "more: import tf from legacy_towers.compat, or call tf.compat.v1.disable_v2_behavior(), before the first "
            "operation"
        )
    with _without_log_line("disable_resource_variables"):
        tf.disable_v2_behavior()


@contextlib.contextmanager
def _without_log_line(text: str) -> Iterator[None]:
    """Keeps lines that contain `text` out of TensorFlow's log."""

    def keep(record: logging.LogRecord) -> bool:
        return text not in record.getMessage()

    logger = logging.getLogger("tensorflow")
    logger.addFilter(keep)
    try:
        yield
    finally:
        logger.removeFilter(keep)


def _view(tf: Any, version: Version) -> ModuleView:
    """Returns `tf` with the modules that its version lacks or has elsewhere."""

    def legacy(name: str, target: str, own: Any) -> ModuleView:
        # Loaded at the first use: TensorFlow's KerasLazyLoader chooses a Keras at the first attribute access.
        module = keras.LazyModule(name, target) if version.pair >= FIRST_WITH_KERAS_3 else own
        return ModuleView(name, module, problem=lambda: keras.problem(version))

    def layers() -> ModuleView:
        return legacy("tf.layers", keras.LAYERS, tf.layers)

    def rnn_cell() -> ModuleView:
        return legacy("tf.nn.rnn_cell", keras.RNN_CELL, tf.nn.rnn_cell)

    replaced: Dict[str, Callable[[], Any]] = {
        "layers": layers,
        "nn": lambda: ModuleView("tf.nn", tf.nn, replaced={"rnn_cell": rnn_cell}),
    }
    if keras.uses_tf_keras(version):
        replaced["keras"] = keras.tf_keras
    if version.pair == (1, 15):
        # Part of TensorFlow 1.15, though not of its tensorflow.compat.v1; ends with 1.15.
        replaced["contrib"] = lambda: importlib.import_module("tensorflow.contrib")
    return ModuleView("tf", tf, replaced=replaced)
