"""A process that reads file descriptor 2 of a command: it holds TensorFlow's log lines and forwards all other output.

    python -I -S reader.py PIPE FLAG PARENT

PIPE and FLAG are file descriptors. A read of PIPE returns the data of one write, so that a log message of several lines
stays together. The first byte of the file FLAG is 1 while data that was read is not yet printed or held. PARENT is the
process id of the command, which sends commands to standard input, one per line, and reads replies:

    show W      prints the held messages of severity W (I, W or E) or higher and discards all; replies "shown"
    log 2f746d  also appends the printed output to the file of this path, in hexadecimal digits; replies "logged"
    end         discards the held messages; replies "closed", or "open" if another process has the pipe open: its
                output is forwarded until it ends

If the command ends without "end" (it was killed, or crashed), all held messages are printed. Messages that can't
explain a failure, such as "Started server with target", are not held. The process runs without site-packages and
imports nothing of legacy_towers, so that it starts in 20 ms.
"""
import collections
import mmap
import os
import re
import select
import signal
import sys
import time
from typing import Deque, List, NamedTuple

ALL, WARNINGS, ERRORS = "I", "W", "E"
_SEVERITIES = b"IWEF"
# 2026-11-22 16:10:43.088882: I tensorflow/core/platform/cpu_feature_guard.cc:142] ...     up to TF 2.15
# I0000 00:00:1795363835.947992   18462 port.cc:153] ...                                     by Abseil
_TENSORFLOW = re.compile(
    rb"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}: ([IWEF]) +(?:\d+ +)?\S+:\d+\]"
    rb"|([IWEF])\d{4} \d\d:\d\d:\d+\.\d+ +\d+ \S+:\d+\]"
    rb"|(WARNING): All log messages before absl::InitializeLog\(\) is called are written to STDERR"
)
# What TensorFlow logs in every process, or in every session of a cluster, whatever happens: tried with 1.15 and 2.21.
_ROUTINE = re.compile(
    rb"WARNING: All log messages before absl::"
    rb"|.*? \S+:\d+\] (oneDNN custom operations are on"
    rb"|(This TensorFlow binary is optimized|Your CPU supports instructions that this TensorFlow binary was not)"
    rb"|CPU Frequency: |XLA service 0x\w+ initialized for platform Host |  StreamExecutor device \(0\): Host,"
    rb"|MLIR V1 optimization pass is not enabled|Initialize GrpcChannelCache for job |Started server with target: "
    rb"|Initializing CoordinationService|Scanning workers for devices: |Cancellation requested for RunGraph"
    rb"|Local rendezvous is aborting with status: ABORTED: Cleanup \d)"
)
_STDIN, _STDOUT, _STDERR = 0, 1, 2
# The number of messages to hold: the first ones, which are about the libraries loaded, and the last ones.
_FIRST, _LAST = 200, 300
_PACKET = 4096  # the largest write that a packet pipe does not split
_CHECK_SECONDS = 1.0


def severity_of(line: bytes) -> str:
    """Returns "I", "W", "E" or "F" for a line that begins a log message of TensorFlow's C++ code, else ""."""
    found = _TENSORFLOW.match(line)
    if found is None:
        return ""
    return "I" if found.group(3) else (found.group(1) or found.group(2)).decode()


class Message(NamedTuple):
    severity: str
    text: bytes


class Reader:
    """Holds log messages and prints other output.

    Attributes:
      outputs: all file descriptors to print to.
    """

    def __init__(self, output: int) -> None:
        self.outputs = [output]
        self._first: List[Message] = []
        self._last: Deque[Message] = collections.deque(maxlen=_LAST)
        self._left_out = 0
        self._incomplete = ""  # the severity of the message that the next packet continues

    def take(self, packet: bytes) -> None:
        """Holds the log messages of `packet`, but for routine ones, and prints the rest.

        A fatal message is printed at once, with all held.
        """
        severity, held = self._incomplete, b""
        for line in packet.splitlines(keepends=True):
            begins = severity_of(line)
            if begins:
                self._hold(severity, held)
                severity, held = begins, line
            elif severity:
                held += line  # a message may have several lines
            else:
                self._print(line)
        self._hold(severity, held)
        self._incomplete = severity if len(packet) == _PACKET and not packet.endswith(b"\n") else ""

    def _hold(self, severity: str, text: bytes) -> None:
        if not text or _ROUTINE.match(text):
            return
        if severity == "F":
            self.show(ALL)
            self._print(text)
        elif len(self._first) < _FIRST:
            self._first.append(Message(severity, text))
        else:
            self._left_out += len(self._last) == _LAST
            self._last.append(Message(severity, text))

    def _print(self, data: bytes) -> None:
        for output in self.outputs:
            _write(output, data)

    def show(self, least: str, before: bytes = b"") -> None:
        """Prints `before` and the held messages of severity `least` or higher, if there are any, and discards all."""
        wanted = _SEVERITIES[_SEVERITIES.index(least.encode()) :].decode()
        first, last = ([each.text for each in held if each.severity in wanted] for held in (self._first, self._last))
        if self._left_out:
            first.append(b"(%d more messages are left out)\n" % self._left_out)
        if first or last:
            self._print(before + b"TensorFlow's log:\n" + b"".join(first + last))
        self.discard()

    def discard(self) -> None:
        """Discards the held messages."""
        self._first, self._left_out = [], 0
        self._last.clear()


class _Process:
    """The event loop: reads the pipe and the commands, and notices the end of the parent process."""

    def __init__(self, source: int, busy: mmap.mmap, parent: int) -> None:
        self._reader = Reader(_STDERR)
        self._source = source
        self._busy = busy
        self._parent = parent
        self._is_over = False  # whether the parent has ended or has sent "end"
        self._commands = b""

    def loop(self) -> None:
        """Runs until no process has the pipe open and the parent has ended or sent "end"."""
        poll = select.poll()
        for number in (self._source, _STDIN):
            poll.register(number, select.POLLIN)
        is_open = True
        while is_open or not self._is_over:
            ready = [number for number, _ in poll.poll(_CHECK_SECONDS * 1000)]
            if self._source in ready:
                is_open = self._read()
                if not is_open:
                    poll.unregister(self._source)
            if self._is_over:
                continue
            if _STDIN in ready:
                self._run_commands(os.read(_STDIN, 4096))
            elif os.getppid() != self._parent:  # a child of the command may keep our standard input open
                self._show_all()
            if self._is_over:
                poll.unregister(_STDIN)

    def _run_commands(self, received: bytes) -> None:
        self._commands += received
        while b"\n" in self._commands and not self._is_over:
            command, _, self._commands = self._commands.partition(b"\n")
            is_open = self._read()
            if command.startswith(b"show "):
                self._reader.show(command[len(b"show ") :].decode())
                _write(_STDOUT, b"shown\n")
            elif command.startswith(b"log "):
                self._log_to(bytes.fromhex(command[len(b"log ") :].decode()))
                _write(_STDOUT, b"logged\n")
            else:
                self._reader.discard()
                self._is_over = True
                _write(_STDOUT, b"open\n" if is_open else b"closed\n")
        if not received and not self._is_over:
            self._show_all()

    def _log_to(self, path: bytes) -> None:
        try:
            self._reader.outputs.append(os.open(path, os.O_WRONLY | os.O_APPEND))
        except OSError:  # reported by the command, which writes to the file itself
            pass

    def _show_all(self) -> None:
        """Prints all held messages: they may show why the command was killed or crashed."""
        self._read()
        # On a terminal the current line may have a progress bar.
        self._reader.show(ALL, b"\n" if os.isatty(_STDERR) else b"")
        self._is_over = True

    def _read(self) -> bool:
        """Reads all data in the pipe; returns whether a process has its other end open."""
        while True:
            self._busy[0] = 1
            try:
                packet = os.read(self._source, 2**16)
                if not packet:
                    return False
                self._reader.take(packet)
            except BlockingIOError:
                return True
            finally:
                self._busy[0] = 0


def main() -> None:
    """Runs the process until no other process has the pipe open."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)  # the process ends after the command
    source, flag, parent = (int(word) for word in sys.argv[1:4])
    os.set_blocking(source, False)
    with mmap.mmap(flag, 1) as busy:
        os.close(flag)
        _Process(source, busy, parent).loop()


def _write(target: int, data: bytes) -> None:
    """Writes all of `data`, unless the target is closed."""
    while data:
        try:
            data = data[os.write(target, data) :]
        except BlockingIOError:
            time.sleep(0.01)
        except OSError:
            return


if __name__ == "__main__":
    main()
