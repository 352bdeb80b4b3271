"""Opens the door: imports TensorFlow, switches it to TF1 behaviour, and gives a view of its TF1 API."""
import contextlib
import importlib
import logging
import sys
import warnings
from typing import Any, Callable, Dict, Iterator, Optional

from legacy_towers.compat import eager, keras, packages, versions
from legacy_towers.compat.versions import Version
from legacy_towers.compat.view import ModuleView
from legacy_towers.errors import EnvironmentProblem

# What serves the names that ended with TensorFlow 1.15, and tf.estimator, which ended with 2.15. It stands above this
# room, so it is imported by its name, and only when a program asks for them.
_OLD_NAMES = "legacy_towers.oldtf.tree"


def open_door() -> Any:
    """Returns the TF1 API as a module-like view of `tensorflow.compat.v1`, with TF1 behaviour switched on.

    Raises:
        EnvironmentProblem: TensorFlow is missing, unsupported or can't be imported, or eager operations have run.
    """
    python = sys.version_info[:2]
    if "tensorflow" not in sys.modules and not packages.is_importable("tensorflow"):
        raise EnvironmentProblem(versions.missing_problem(python))
    expected = versions.tensorflow_version()
    if expected is not None:
        _refuse(versions.unsupported_problem(expected, python))
        # Before TensorFlow is imported: it extends its paths by this choice.
        keras.prepare(expected)
    tf = _import_tensorflow(expected)
    version = versions.parse(tf.__version__)
    _refuse(versions.unsupported_problem(version, python))
    _warn(versions.untried_warning(version))
    keras.prepare(version)
    _switch_to_tf1_behaviour(tf)
    return _view(tf, version)


def _refuse(problem: Optional[str]) -> None:
    if problem is not None:
        raise EnvironmentProblem(problem)


def _warn(sentence: Optional[str]) -> None:
    if sentence is not None:
        warnings.warn(sentence, stacklevel=4)


def _import_tensorflow(expected: Optional[Version]) -> Any:
    try:
        with warnings.catch_warnings():
            # TensorFlow 1.15 builds its dtypes in a way that numpy 1.17 and 1.18 warn of, twelve times.
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
        return  # TensorFlow 1.15, or the user has switched already: what else he chose then stays
    if eager.has_started():
        raise EnvironmentProblem(
            "eager operations have already run in this process, so TensorFlow can't be switched to sessions and graphs "
            "any more: import legacy_towers.compat before the first operation, or call tf.disable_v2_behavior() there"
        )
    with _without_log_line("disable_resource_variables"):
        tf.disable_v2_behavior()


@contextlib.contextmanager
def _without_log_line(text: str) -> Iterator[None]:
    """Keeps lines that contain `text` out of TensorFlow's log while it lasts."""

    def keep(record: logging.LogRecord) -> bool:
        return text not in record.getMessage()

    logger = logging.getLogger("tensorflow")
    logger.addFilter(keep)
    try:
        yield
    finally:
        logger.removeFilter(keep)


def _view(tf: Any, version: Version) -> ModuleView:
    def guarded(name: str, loader: Any) -> ModuleView:
        return ModuleView(name, loader, problem=lambda: keras.problem(version, loader))

    def layers() -> ModuleView:
        return guarded("tf.layers", tf.layers)

    def nn() -> ModuleView:
        return ModuleView("tf.nn", tf.nn, replaced={"rnn_cell": lambda: guarded("tf.nn.rnn_cell", tf.nn.rnn_cell)})

    replaced: Dict[str, Callable[[], Any]] = {"layers": layers, "nn": nn}
    if version.pair == (1, 15):
        # Not part of tensorflow.compat.v1, but of the TensorFlow that runs; ends with 1.15.
        replaced["contrib"] = lambda: importlib.import_module("tensorflow.contrib")
    else:
        replaced["contrib"] = lambda: importlib.import_module(_OLD_NAMES).module("tensorflow.contrib")
        replaced["estimator"] = lambda: importlib.import_module(_OLD_NAMES).module("tensorflow.estimator")
    return ModuleView("tf", tf, replaced=replaced)
