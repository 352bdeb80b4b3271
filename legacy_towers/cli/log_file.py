"""Writes the output of a command to a file too, for `--log-file FILE` and `--quiet`.

    with log_to("train.log", "legacy-towers train job.py"):
        ...                         # what is printed to sys.stdout and sys.stderr is also written to train.log

Complete lines are written: the last state of a line that a progress bar redraws with carriage returns, without escape
sequences for colours.
"""
import contextlib
import os
import re
import sys
import threading
import time
from typing import Any, Iterable, Iterator, Optional, Sequence

from legacy_towers.errors import ArgumentError

LOG_FILE, QUIET = "--log-file", "--quiet"
_ESCAPES = re.compile(r"\033\[[0-?]*[ -/]*[@-~]")


class LogFile:
    """A file to which lines are appended.

    Args:
      path: the file; created if it does not exist.

    Raises:
      ArgumentError: the file can't be opened for appending.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._lock = threading.Lock()
        try:
            # O_NONBLOCK: opening a named pipe without a reader fails instead of blocking.
            number = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NONBLOCK", 0), 0o666)
        except OSError as error:
            raise ArgumentError("{} {!r} can't be opened for appending: {}".format(
                LOG_FILE, path, error.strerror
            )) from None
        if hasattr(os, "O_NONBLOCK"):
            os.set_blocking(number, True)
        self._file: Optional[Any] = os.fdopen(number, "w", 1, encoding="utf-8", errors="backslashreplace")

    def write_line(self, line: str) -> str:
        """Appends a line; returns "", or an error message if writing fails: then the file is closed."""
        with self._lock:
            if self._file is None:
                return ""
            try:
                self._file.write(_ESCAPES.sub("", line) + "\n")
                return ""
            except OSError as error:
                self._close()
                return "the log file {!r} can't be written any more: {}".format(self.path, error.strerror)

    def close(self) -> None:
        """Closes the file; later lines are ignored."""
        with self._lock:
            self._close()

    def _close(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            with contextlib.suppress(OSError):
                file.close()


class LoggedStream:
    """Writes text to a stream, and its lines to a log file; other attributes are those of the stream.

    Args:
      terminal: the stream; None prints nothing.
      log: the file; None writes nothing.

    Attributes:
      terminal, log: as given. A progress bar is written to `terminal` directly, so that it is not in the file.
    """

    def __init__(self, terminal: Optional[Any], log: Optional[LogFile]) -> None:
        self.terminal = terminal
        self.log = log
        self._lock = threading.Lock()
        self._line = ""  # the incomplete last line

    def write(self, text: str) -> int:
        if self.terminal is not None:
            self.terminal.write(text)
        if self.log is not None:
            with self._lock:
                lines = (self._line + text).split("\n")
                self._line = lines.pop()
                # Text before a carriage return is overwritten.
                start = self._line.rstrip("\r").rfind("\r") + 1
                self._line = self._line[start:]
            for line in lines:
                self._log_line(line)
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        if self.terminal is not None:
            self.terminal.flush()

    def isatty(self) -> bool:
        return self.terminal is not None and bool(self.terminal.isatty())

    def end(self) -> None:
        """Writes the incomplete last line to the log file."""
        with self._lock:
            line, self._line = self._line, ""
        if line:
            self._log_line(line)

    def _log_line(self, line: str) -> None:
        assert self.log is not None
        problem = self.log.write_line(line.rstrip("\r").rpartition("\r")[2])
        if problem and self.terminal is not None:
            self.terminal.write("legacy-towers: warning: {}\n".format(problem))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["terminal"], name)


def silent(stream: Any) -> LoggedStream:
    """Returns a stream that prints nothing and writes to the log file of `stream`, if it has one."""
    return LoggedStream(None, stream.log if isinstance(stream, LoggedStream) else None)


@contextlib.contextmanager
def log_to(path: str, title: str) -> Iterator[LogFile]:
    """Appends a line with `title`, and then all output to sys.stdout and sys.stderr, to a file.

    Raises:
      ArgumentError: the file can't be written.
    """
    log = LogFile(path)
    problem = log.write_line("==== {} {}".format(time.strftime("%Y-%m-%d %H:%M:%S"), title))
    if problem:
        raise ArgumentError("{}: {}".format(LOG_FILE, problem))
    before = sys.stdout, sys.stderr
    streams = [None if stream is None else LoggedStream(stream, log) for stream in before]
    sys.stdout, sys.stderr = streams
    try:
        yield log
    finally:
        for name, stream, earlier in zip(("stdout", "stderr"), streams, before):
            if stream is not None:
                stream.end()
            if getattr(sys, name) is stream:
                setattr(sys, name, earlier)
        log.close()


def value_of(words: Sequence[str], option: str) -> Optional[str]:
    """Returns the last value of an option on a command line; None without one."""
    found = None
    for word, following in zip(words, list(words[1:]) + ["-"]):
        if word.startswith(option + "="):
            found = word[len(option) + 1 :]
        elif word == option and not following.startswith("-"):
            found = following
    return found
