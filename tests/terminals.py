"""Runs a command in a pseudo-terminal of a given width."""
import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
import textwrap


def run_in_terminal(command, columns=80, cwd=None, **environment):
    """Returns (exit code, output on the terminal); `environment` maps names to text or None (unset)."""
    variables = dict(os.environ, TERM="xterm-256color")
    for name in ("NO_COLOR", "COLUMNS", "LINES", "TF_CPP_MIN_LOG_LEVEL", "TF_USE_LEGACY_KERAS"):
        variables.pop(name, None)
    for name, value in environment.items():
        if value is None:
            variables.pop(name, None)
        else:
            variables[name] = value
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    process = subprocess.Popen(
        command, cwd=cwd, env=variables, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    )
    os.close(theirs)
    received = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # Linux: no process has the other end open
            break
        if not part:
            break
        received += part
    os.close(ours)
    return process.wait(), received.decode("utf-8", "replace").replace("\r\n", "\n")


def run_python_in_terminal(program, columns=80, **keywords):
    """Runs the source `program`; see `run_in_terminal`."""
    return run_in_terminal([sys.executable, "-c", textwrap.dedent(program)], columns, **keywords)


def shown_lines(text):
    """Returns the lines that a terminal shows at the end; a carriage return goes to the beginning of the line."""
    lines, column = [""], 0
    for letter in text:
        if letter == "\n":
            lines.append("")
            column = 0
        elif letter == "\r":
            column = 0
        else:
            lines[-1] = lines[-1][:column] + letter + lines[-1][column + 1 :]
            column += 1
    return [line.rstrip() for line in lines]
