"""Calls functions before the runs of a graph's sessions, and in place of a graph's errors, by private API."""
import contextlib
import sys
from typing import Any, Callable, Iterator, List, NamedTuple, Optional

# How far above itself `_current_run` looks for the call of the session.
_MOST_FRAMES = 12


class Run(NamedTuple):
    """A call of `Session.run` as TensorFlow has prepared it, or of `Session.make_callable`.

    Attributes:
      fetched: the operations whose outputs are fetched, or that are run; of a callable, its fetches as they are given.
      fed: the operations of the tensors that are fed.
      makes_callable: whether it is a call of `make_callable`. What that returns, without feeds, runs later and is not
        seen then; with feeds it calls `Session.run`.
    """

    fetched: Any
    fed: List[Any]
    makes_callable: bool = False


def before_each_run(graph: Any, check: Callable[[Callable[[], Optional[Run]]], None]) -> None:
    """Calls `check` before each `Session.run` and `make_callable` of `graph`; its error takes the place of the call.

    `check` gets a function that returns the run, since looking at it takes a few microseconds; it returns None where a
    session is extended for another reason.
    """
    # Private: a session enters this context in each run, before it calls the runtime. Tried on 1.15 and 2.21.
    lock = graph._session_run_lock

    def checked() -> Any:
        check(_current_run)
        return lock()

    graph._session_run_lock = checked


def _current_run() -> Optional[Run]:
    """Returns the run that has led to this call, from the frames of `BaseSession._do_run` and `make_callable`."""
    frame: Any = sys._getframe(1)
    # check, checked, _extend_graph, make_callable; or _run_fn, _do_call, _do_run; and the frames of `check` itself.
    for _ in range(_MOST_FRAMES):
        if frame is None:
            return None
        if frame.f_code.co_name == "_do_run" and "target_list" in frame.f_locals:
            given = frame.f_locals
            fetched = [getattr(each, "op", each) for each in list(given["target_list"]) + list(given["fetch_list"])]
            # Fed tensors are keys themselves on 1.15, and references to them on 2.21.
            fed = [each.deref() if hasattr(each, "deref") else each for each in given["feed_dict"]]
            return Run(fetched, [each.op for each in fed])
        if frame.f_code.co_name == "make_callable" and "accept_options" in frame.f_locals:
            return Run(frame.f_locals["fetches"], [], makes_callable=True)
        frame = frame.f_back
    return None


def explain_finalized(graph: Any, explain: Callable[[], Exception]) -> None:
    """Raises `explain()` in place of the error of a finalized graph to which something is added."""
    # Private: whatever adds to a graph calls this first. Tried on 1.15 and 2.21.
    check = graph._check_not_finalized

    def checked() -> None:
        try:
            check()
        except RuntimeError as error:
            raise explain() from error

    graph._check_not_finalized = checked


def explain_refusal(graph: Any, explain: Callable[[Exception], Optional[Exception]]) -> None:
    """Raises `explain(error)` in place of the error with which a session refuses the operations of `graph`.

    A local session places all operations in its first run, before a MonitoredSession calls its hooks: an operation on a
    device that does not exist is an error there. Where `explain` returns None, TensorFlow's error is raised.
    """
    # Private: a session takes over a graph's operations inside this context. Tried on 1.15 and 2.21.
    lock = graph._session_run_lock

    @contextlib.contextmanager
    def explained() -> Iterator[None]:
        with lock():
            try:
                yield
            except Exception as error:
                explanation = explain(error)
                if explanation is None:
                    raise
                raise explanation from error

    graph._session_run_lock = explained
