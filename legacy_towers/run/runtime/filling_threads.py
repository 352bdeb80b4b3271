"""Python threads of a script that fill queues: which line does so, and whether an error there is collected."""
import ast
import linecache
import sys
import threading
from typing import Any, Dict, List, Optional

# Names of calls that hand an error on to the thread that waits for the queue, or end its waiting.
_COLLECTS = ("stop_on_exception", "request_stop", "close", "put", "interrupt_main")
# These keep a thread's error and raise it where its result is asked for.
_POOLS = ("concurrent.futures.thread", "multiprocessing.pool")
_BROAD = ("Exception", "BaseException", "StandardError")


def error_is_collected(frame: Optional[Any]) -> bool:
    """Returns whether an error that is raised in `frame` reaches other threads, as far as the source shows it.

    It does if a line on the call stack is under `with coord.stop_on_exception():`, or in a `try` that has a
    handler for errors of any kind, or a `finally`, which calls `coord.request_stop`, or closes or fills a queue.
    """
    while frame is not None:
        if frame.f_globals.get("__name__") in _POOLS:
            return True
        if any(_collects(node) for node in _around(frame.f_code.co_filename, frame.f_lineno)):
            return True
        frame = frame.f_back
    return False


class FillingThreads:
    """The threads that fill queues by session runs of their own.

    Attributes:
      lines: the line of the script that runs an enqueue operation -> whether an error there is collected.
    """

    def __init__(self) -> None:
        self.lines: Dict[str, bool] = {}

    def note(self, line: str) -> None:
        """Records that the calling thread fills a queue at `line`, unless it is the main thread."""
        if line and line not in self.lines and threading.current_thread() is not threading.main_thread():
            self.lines[line] = error_is_collected(sys._getframe(1))


def _around(path: str, line: int) -> List[ast.AST]:
    """Returns the `with` and `try` statements of a file whose bodies contain a line."""
    if not path.endswith(".py"):
        return []
    try:
        tree = ast.parse("".join(linecache.getlines(path)))
    except (SyntaxError, ValueError):  # Python 2
        return []
    return [
        node for node in ast.walk(tree)
        if isinstance(node, (ast.With, ast.Try)) and node.body[0].lineno <= line <= _end(node.body)
    ]


def _end(body: List[Any]) -> int:
    return max(getattr(node, "lineno", 0) for statement in body for node in ast.walk(statement))


def _collects(node: Any) -> bool:
    if isinstance(node, ast.With):
        return any(_calls(item.context_expr) for item in node.items)
    return any(_calls(each) for each in node.finalbody) or any(
        _is_broad(handler.type) and any(_calls(each) for each in handler.body) for handler in node.handlers
    )


def _is_broad(kind: Any) -> bool:
    return kind is None or any(isinstance(each, ast.Name) and each.id in _BROAD for each in ast.walk(kind))


def _calls(node: Any) -> bool:
    return any(
        isinstance(each, ast.Call) and getattr(each.func, "attr", getattr(each.func, "id", "")) in _COLLECTS
        for each in ast.walk(node)
    )
