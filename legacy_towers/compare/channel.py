"""JSON messages, one a line, between `compare` and its worker processes; the job's own output can't reach the pipes."""
import json
import os
import sys
from typing import Any, Dict, Iterator, Optional

# Prefix of a message; any other line (printed by a Python start-up file, for example) is not a message.
MARK = "\x1elegacy-towers "


def encode(message: Dict[str, Any]) -> str:
    """Returns a message as one line."""
    return "{}{}\n".format(MARK, json.dumps(message))


def decode(line: str) -> Optional[Dict[str, Any]]:
    """Returns the message in a line; None if the line is not a message."""
    if not line.startswith(MARK):
        return None
    return dict(json.loads(line[len(MARK):]))


class Channel:
    """The worker's end: messages use the process's standard input and output, and the job gets replacements.

    What the job prints goes to standard error; its standard input is empty.
    """

    def __init__(self) -> None:
        sys.stdout.flush()
        self._source = os.fdopen(os.dup(0), "r", encoding="utf-8")
        self._target = os.fdopen(os.dup(1), "w", encoding="utf-8")
        empty_input = os.open(os.devnull, os.O_RDONLY)
        os.dup2(empty_input, 0)
        os.close(empty_input)
        os.dup2(2, 1)

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        """Yields messages until the other end closes."""
        while True:
            line = self._source.readline()
            if not line:
                return
            message = decode(line)
            if message is not None:
                yield message

    def send(self, message: Dict[str, Any]) -> None:
        """Sends one message to `compare`."""
        self._target.write(encode(message))
        self._target.flush()
