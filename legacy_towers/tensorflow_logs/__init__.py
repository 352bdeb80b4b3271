"""Holds back the log lines of TensorFlow's C++ code until a command fails.

    logs = HeldLogs()
    logs.start()        # before TensorFlow is imported
    logs.show()         # if the command fails: prints the log
    logs.end()          # discards it

From `start` to `end` file descriptor 2 is a pipe to a small process (`reader.py`), which holds TensorFlow's lines and
forwards all other output of C code and child processes. A process is used instead of a thread, so that nothing is lost
if this process is killed or crashes: the reader then prints what it holds. sys.stderr bypasses the pipe: it writes to
the former file descriptor 2, so that a terminal stays a terminal, and each write waits for earlier output in the pipe.

If TF_CPP_MIN_LOG_LEVEL is set, nothing is held: the user has chosen the lines to print. On systems without packet
pipes (Linux has them) the variable is set to 2: TensorFlow prints errors only.
"""
import contextlib
import io
import mmap
import os
import select
import subprocess
import sys
import tempfile
import time
from typing import Any, List, Optional, Tuple

from legacy_towers.tensorflow_logs.reader import ALL, ERRORS, WARNINGS, severity_of

if sys.platform.startswith("linux"):
    import fcntl
    import termios

__all__ = ["ALL", "ERRORS", "VARIABLE", "WARNINGS", "HeldLogs", "are_shown", "end_held_logs", "split_lines"]

VARIABLE = "TF_CPP_MIN_LOG_LEVEL"
_STDERR = 2
# The default limit for users: in packet mode each write takes a page.
_PIPE_BYTES = 2**20
_F_SETPIPE_SZ = 1031
# How long a write to sys.stderr waits for earlier output in the pipe.
_SETTLE_SECONDS = 1.0
_REPLY_SECONDS = 10.0


class HeldLogs:
    """Holds the log of TensorFlow's C++ code in this process and its children."""

    def __init__(self) -> None:
        self._process = os.getpid()
        self._reader: Optional["subprocess.Popen[bytes]"] = None
        self._busy: Optional[mmap.mmap] = None
        self._pipe: Any = None  # the os.fstat of the pipe
        # The LoggedStream that is sys.stderr, if it is one: its attribute `terminal` is replaced instead of sys.stderr.
        self._outer: Any = None
        self._before: Any = None
        self._stream: Any = None

    def start(self) -> None:
        """Starts to hold, unless TF_CPP_MIN_LOG_LEVEL is set; call it before TensorFlow is imported."""
        if are_shown():
            return
        self._outer = sys.stderr if hasattr(sys.stderr, "terminal") else None
        self._before = sys.stderr if self._outer is None else self._outer.terminal
        if not _is_standard_error(self._before) or not self._start_reader():
            os.environ[VARIABLE] = "2"

    def show(self, least: str = ALL) -> None:
        """Prints the held messages of severity `least` ("I", "W" or "E") or higher, and discards all."""
        if self._reader is not None and os.getpid() == self._process:
            sys.stderr.flush()
            self._send("show " + least)

    def log_to(self, path: str) -> None:
        """Also appends the printed output of file descriptor 2 to an existing file."""
        if self._reader is not None:
            self._send("log " + os.fsencode(os.path.abspath(path)).hex())

    def end(self, is_last: bool = False) -> None:
        """Discards the held messages, and restores file descriptor 2 and sys.stderr.

        Args:
          is_last: whether the process ends now. Then nothing is restored, and what TensorFlow logs until the process
            has ended is discarded too: its server answers other tasks until then.
        """
        if self._reader is None or os.getpid() != self._process:
            return
        reader, self._reader = self._reader, None
        self._stream.flush()
        if not is_last:
            if self._is_pipe():
                os.dup2(self._stream.fileno(), _STDERR)
            self._replace(self._stream, self._before)
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            if self._send("end", reader) == "closed":
                reader.wait(_REPLY_SECONDS)
        # Otherwise a child process has the pipe open: the reader runs until it ends.
        reader.returncode = reader.returncode or 0
        for stream in (reader.stdin, reader.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()

    def settle(self) -> None:
        """Waits until all output in the pipe is printed or held."""
        deadline = time.monotonic() + _SETTLE_SECONDS
        while self._reader is not None and self._is_unread() and time.monotonic() < deadline:
            time.sleep(0.0002)

    def takes_standard_error(self) -> bool:
        """Returns whether file descriptor 2 is the pipe: a job may have redirected it."""
        return self._reader is not None and self._is_pipe()

    def _start_reader(self) -> bool:
        """Starts the reader and connects file descriptor 2 to it; returns whether that succeeded."""
        try:
            source, target = os.pipe2(os.O_CLOEXEC | os.O_DIRECT)  # type: ignore[attr-defined,unused-ignore]
        except (AttributeError, OSError):
            return False
        try:
            with contextlib.suppress(OSError):
                fcntl.fcntl(target, _F_SETPIPE_SZ, _PIPE_BYTES)
            with tempfile.TemporaryFile() as flag:
                flag.write(b"\0")
                flag.flush()
                self._busy = mmap.mmap(flag.fileno(), 1)
                numbers = [str(number) for number in (source, flag.fileno(), os.getpid())]
                self._reader = subprocess.Popen(
                    # Without site-packages, and in its own session, so that Ctrl-C and Ctrl-Z do not reach it.
                    [sys.executable, "-I", "-S", os.path.join(os.path.dirname(__file__), "reader.py")] + numbers,
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, pass_fds=(source, flag.fileno()),
                    start_new_session=True,
                )
            self._stream = _direct_stream(self, self._before)
            os.dup2(target, _STDERR)
            self._pipe = os.fstat(_STDERR)
            self._replace(self._before, self._stream)
            return True
        except OSError:
            return False
        finally:
            os.close(source)
            os.close(target)

    def _replace(self, old: Any, new: Any) -> None:
        if self._outer is not None and self._outer.terminal is old:
            self._outer.terminal = new
        elif sys.stderr is old:
            sys.stderr = new

    def _is_pipe(self) -> bool:
        try:
            return os.path.samestat(os.fstat(_STDERR), self._pipe)
        except OSError:
            return False

    def _is_unread(self) -> bool:
        if not self._is_pipe():
            return False
        pending = bytearray(4)
        try:
            fcntl.ioctl(_STDERR, termios.FIONREAD, pending)
        except OSError:
            return False
        # In this order: the reader sets the busy flag before it reads.
        is_unread = any(pending) or (self._busy is not None and self._busy[0] != 0)
        return is_unread and self._reader is not None and self._reader.poll() is None

    def _send(self, command: str, reader: Optional["subprocess.Popen[bytes]"] = None) -> str:
        """Sends a command to the reader and returns its reply; "" if the reader has ended."""
        reader = reader or self._reader
        assert reader is not None and reader.stdin is not None and reader.stdout is not None
        try:
            reader.stdin.write(command.encode() + b"\n")
            ready, _, _ = select.select([reader.stdout], [], [], _REPLY_SECONDS)
            return reader.stdout.readline().decode().strip() if ready else ""
        except OSError:
            return ""


class _Direct(io.FileIO):
    """Writes to the former file descriptor 2, after earlier output in the pipe."""

    def __init__(self, logs: HeldLogs) -> None:
        super().__init__(os.dup(_STDERR), "w")
        self.name = "<stderr>"
        self.logs = logs

    def write(self, data: Any) -> Any:
        if self.logs.takes_standard_error():
            self.logs.settle()
        elif self.logs._reader is not None:
            return os.write(_STDERR, data)  # a job has redirected it, or closed it
        return super().write(data)


def _direct_stream(logs: HeldLogs, like: Any) -> io.TextIOWrapper:
    stream = io.TextIOWrapper(
        io.BufferedWriter(_Direct(logs)), encoding=like.encoding, errors=like.errors, line_buffering=True,
        write_through=getattr(like, "write_through", False),
    )
    stream.mode = "w"  # type: ignore[misc,unused-ignore]  # as sys.stderr has it
    return stream


def _is_standard_error(stream: Any) -> bool:
    """Returns whether `stream` writes to file descriptor 2, so that nobody has redirected it."""
    try:
        return bool(sys.executable) and stream.fileno() == _STDERR
    except (AttributeError, OSError, ValueError):
        return False


def split_lines(text: str) -> Tuple[str, str]:
    """Splits the output of a process into (log lines of TensorFlow's C++ code, other lines)."""
    logged: List[str] = []
    others: List[str] = []
    for line in text.splitlines():
        (logged if severity_of(line.encode("utf-8", "replace")) else others).append(line)
    return "\n".join(logged), "\n".join(others)


def end_held_logs(least: Optional[str] = None) -> None:
    """Ends what holds the log in this process, if anything does, before `os._exit`, after which all would be printed.

    Args:
      least: messages of this severity, such as ERRORS, or higher are printed first; None: all are discarded.
    """
    # The LoggedStream that is sys.stderr, if it is one, has the stream as its attribute.
    stream = getattr(sys.stderr, "terminal", sys.stderr)
    raw = getattr(getattr(stream, "buffer", None), "raw", None)
    if isinstance(raw, _Direct):
        if least is not None:
            raw.logs.show(least)
        raw.logs.end()


def are_shown() -> bool:
    """Returns whether TensorFlow's log is printed at once: TF_CPP_MIN_LOG_LEVEL is set."""
    return VARIABLE in os.environ
