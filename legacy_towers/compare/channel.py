"""JSON lines between `compare` and its processes, over pipes that the job's own printing can't reach."""
import json
import os
import sys
from typing import Any, Dict, Iterator, Optional

# Lines of messages begin with this; whatever else arrives (a start-up file that prints, say) is no message.
MARK = "\x1elegacy-towers "


def encode(message: Dict[str, Any]) -> str:
    """Returns a message as one line."""
    return "{}{}\n".format(MARK, json.dumps(message))


def decode(line: str) -> Optional[Dict[str, Any]]:
    """Returns the message in a line, None if it holds none."""
    if not line.startswith(MARK):
        return None
    return dict(json.loads(line[len(MARK):]))


class Channel:
    """The worker's end: takes standard input and output for messages, and gives the job others in their place.

    What the job prints goes to standard error, and what it reads is empty.
    """

    def __init__(self) -> None:
        sys.stdout.flush()
        self._source = os.fdopen(os.dup(0), "r", encoding="utf-8")
        self._target = os.fdopen(os.dup(1), "w", encoding="utf-8")
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
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
        self._target.write(encode(message))
        self._target.flush()
