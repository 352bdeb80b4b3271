"""Counts TensorFlow's deprecation warnings while a script runs, and prints their number at the end.

TensorFlow 2 logs a warning for most names of TensorFlow 1, through Python's logging:
"WARNING:tensorflow:From train.py:3: to_float (from ...) is deprecated and will be removed in a future version."
TensorFlow 1.15's warnings, and the script's own, are printed.
"""
import atexit
import os
import sys
from typing import Any, Iterator

from legacy_towers.compat.tf1 import user_script

_LOGGER = "tensorflow"


class DeprecationFilter:
    """Counts the deprecation warnings of TensorFlow's logger instead of printing them.

    Handlers that do not write to the terminal, such as a script's log file, get the warnings. In processes that the
    script forks, which print no number at their end, all handlers do.
    """

    def __init__(self) -> None:
        self._count = 0
        self._process = os.getpid()

    def filter(self, record: Any) -> bool:
        """Returns whether the logger handles the record: whether it is not a deprecation warning of TensorFlow."""
        if not is_deprecation(record) or os.getpid() != self._process:
            return True
        self._count += 1
        for handler in _handlers(_logger()):
            if not _writes_to_terminal(handler) and record.levelno >= handler.level:
                handler.handle(record)
        return False

    def report(self) -> None:
        """Prints the number of warnings since the last call; nothing if there were none."""
        count, self._count = self._count, 0
        if not count or os.getpid() != self._process:
            return
        try:
            user_script.print_message("TensorFlow logged {} deprecation warning{}; --warnings prints {}".format(
                count, "" if count == 1 else "s", "it" if count == 1 else "them"
            ))
        except (OSError, ValueError):  # the script has closed standard error
            pass


def collect(run: user_script.ScriptRun) -> DeprecationFilter:
    """Returns a filter that counts the deprecation warnings from TensorFlow's import on and reports them at exit.

    It counts nothing with `--warnings` and on TensorFlow 1.x.
    """
    deprecations = DeprecationFilter()
    if not are_printed(run):
        run.when_tensorflow_is_there(lambda: _install(deprecations))
    return deprecations


def _install(deprecations: DeprecationFilter) -> None:
    from legacy_towers.compat import tf

    if not tf.__version__.startswith("1."):
        _logger().addFilter(deprecations)
        atexit.register(deprecations.report)


def are_printed(run: user_script.ScriptRun) -> bool:
    """Returns whether `--warnings` is given."""
    return bool(getattr(run.options, "warnings", False))


def is_deprecation(record: Any) -> bool:
    """Returns whether a log record is a warning of TensorFlow's modules `deprecation` or `module_wrapper`."""
    return isinstance(record.msg, str) and record.msg.startswith("From %s: ") and "deprecated" in record.msg


def _logger() -> Any:
    import logging  # imported by TensorFlow by now; earlier, this may find a module of the script

    return logging.getLogger(_LOGGER)


def _handlers(logger: Any) -> Iterator[Any]:
    while logger is not None:
        yield from logger.handlers
        logger = logger.parent if logger.propagate else None


def _writes_to_terminal(handler: Any) -> bool:
    """Returns whether a handler writes to standard output or error, as those of TensorFlow, absl and basicConfig."""
    if type(handler).__module__.split(".")[0] == "absl":
        return True
    stream = getattr(handler, "stream", None)
    return any(stream is each for each in (sys.stderr, sys.stdout, sys.__stderr__, sys.__stdout__))
