"""Controls the log lines and warnings of TensorFlow and Python in the output of a command."""
import argparse
import contextlib
import os
import sys
import warnings
from typing import Any, Iterator


def add_show_logs(parser: argparse.ArgumentParser) -> None:
    """Adds the option `--tensorflow-logs`, which `CommandLogs` reads."""
    parser.add_argument(
        "--tensorflow-logs", action="store_true",
        help="print the log of TensorFlow's C++ code at once; without it, the log is printed only if the command "
        "fails, or at once if TF_CPP_MIN_LOG_LEVEL is set",
    )


class CommandLogs:
    """Holds the log of TensorFlow's C++ code until the command fails; see `tensorflow_logs`.

    Args:
      are_held: whether the command holds the log; if not, all methods do nothing.
    """

    def __init__(self, are_held: bool) -> None:
        self._are_held = are_held
        self._logs: Any = None

    def start(self, arguments: argparse.Namespace) -> None:
        """Starts to hold the log, unless `--tensorflow-logs` is given; call it before TensorFlow is imported."""
        if not self._are_held:
            return
        from legacy_towers.tensorflow_logs import VARIABLE, HeldLogs

        if getattr(arguments, "tensorflow_logs", False):
            os.environ.setdefault(VARIABLE, "0")  # also for the processes of a comparison
        self._logs = HeldLogs()
        self._logs.start()
        if getattr(arguments, "log_file", None) is not None:
            self._logs.log_to(arguments.log_file)

    def show(self, least: str = "I") -> None:
        """Prints the held messages of severity `least` ("I", "W" or "E") or higher."""
        if self._logs is not None:
            self._logs.show(least)

    def end(self, is_last: bool = False) -> None:
        """Discards the held messages and stops holding; not before the process has ended if `is_last`."""
        if self._logs is not None:
            self._logs.end(is_last)


def silence_deprecations() -> None:
    """Hides the deprecation warnings of TensorFlow and tf_keras about the TF1 API."""
    from legacy_towers.compat import tf

    tf.logging.set_verbosity(tf.logging.ERROR)
    warnings.filterwarnings("ignore", message=r"`tf\.(layers|nn\.rnn_cell)\.")
    warnings.filterwarnings("ignore", message=r"`tf\.\S+` is deprecated")


@contextlib.contextmanager
def plain_warnings(program: str, is_quiet: bool = False) -> Iterator[None]:
    """Prints each UserWarning as one line, without file and line number; restores all warning filters at the end.

    Args:
      is_quiet: whether warnings are written to the log file only.
    """
    with warnings.catch_warnings():
        standard = warnings.showwarning

        def show(message: Any, category: Any, filename: str, lineno: int, file: Any = None, line: Any = None) -> None:
            target: Any = _log_only(sys.stderr) if is_quiet else sys.stderr
            if file is None and issubclass(category, UserWarning):
                target.write("{}: warning: {}\n".format(program, message))
            else:
                standard(message, category, filename, lineno, file or target, line)

        warnings.showwarning = show
        yield


def _log_only(stream: Any) -> Any:
    from legacy_towers.cli.log_file import silent

    return silent(stream)
