"""Comments and docstrings that still mention queues in files that were rewritten."""
import io
import re
import tokenize
from typing import List, Set

_QUEUES = re.compile(r"\bqueue|dequeue|enqueue|\bcoordinator\b", re.IGNORECASE)
# After these a statement begins.
_BEGINS = (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)


def lines_about_queues(text: str) -> List[int]:
    """Returns the lines, from 1, of comments and docstrings of a Python file that mention queues or a coordinator."""
    found: Set[int] = set()
    begins = True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT or begins and token.type == tokenize.STRING:
            for number, line in enumerate(token.string.splitlines()):
                if _QUEUES.search(line):
                    found.add(token.start[0] + number)
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            begins = token.type in _BEGINS
    return sorted(found)
