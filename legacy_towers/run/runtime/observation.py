"""Records what the sessions of a script do in its first runs, for `legacy-towers doctor`."""
import threading
import time
import weakref
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Set, Tuple

from legacy_towers.compat.versions.tracebacks import calling_line, line_of_thread, user_line
from legacy_towers.graph.op_kinds import ENQUEUE_OPS, applies_gradient
from legacy_towers.graph.walk import ancestors, operations_of
from legacy_towers.run.runtime.feeds import SeenFeed, note_feeds
from legacy_towers.run.runtime.filling_threads import FillingThreads
from legacy_towers.run.runtime.step_limit import MONITORED_FETCHES

# Runs of one graph that are recorded; the graph may grow in each.
RUNS = 200


class Growth(NamedTuple):
    """Operations that one line of the script added between two session runs.

    Attributes:
      line: the line of the script, as `user_line` returns it.
      operation: the name of the first of them.
      kind: its type.
      number: how many.
    """

    line: str
    operation: str
    kind: str
    number: int


def fetched_operations(session: Any, fetches: Any) -> Optional[Tuple[Any, ...]]:
    """Returns the operations that a run of `fetches` fetches; None if TensorFlow is going to reject them."""
    if isinstance(fetches, dict) and MONITORED_FETCHES in fetches:  # of a MonitoredSession: its hooks fetch more
        fetches = list(fetches.values())
    try:
        return tuple(operations_of(fetches, session.graph))
    except (TypeError, ValueError, KeyError, AttributeError):
        return None


class Observed:
    """What the sessions of one graph did.

    Attributes:
      runs: the operations that each run fetched, the first `RUNS` of them, those of TensorFlow itself included.
      in_main_thread: for each of these runs, whether the main thread made it.
      fetched: the operations that runs, of any number, and callables fetched.
      growths: what was added to the graph before each run but the first; empty where nothing was added.
      starts: for each call of `tf.train.start_queue_runners`, (line of the script, whether it got a coordinator).
      most_open: line of the script -> the most sessions that it had created and not closed at one time.
      feeds: name of a tensor -> what the first `RUNS` training steps fed to it, if that is large.
      filling_threads: the Python threads that fill queues.
      unended: what the run of the main thread fetched that lasted too long; None if all have ended.
    """

    def __init__(self) -> None:
        self.feeds: Dict[str, SeenFeed] = {}
        self.filling_threads = FillingThreads()
        self.unended: Optional[Tuple[Any, ...]] = None
        self._trains: Dict[Tuple[Any, ...], bool] = {}
        self.runs: List[Tuple[Any, ...]] = []
        self.in_main_thread: List[bool] = []
        self.fetched: Set[Tuple[Any, ...]] = set()
        self.growths: List[List[Growth]] = []
        self.starts: List[Tuple[str, bool]] = []
        self.most_open: Dict[str, int] = {}
        self._version = -1
        self._operations = 0
        self._ran: Dict[Tuple[Any, ...], Set[Any]] = {}
        self._all_ran: Tuple[int, Set[Any]] = (0, set())  # (the number of `fetched`, what they need)

    def ran(self, fetched: Tuple[Any, ...]) -> Set[Any]:
        """Returns the operations that a run of `fetched` needs."""
        if fetched not in self._ran:
            self._ran[fetched] = ancestors(list(fetched), graph=fetched[0].graph) if fetched else set()
        return self._ran[fetched]

    def all_ran(self) -> Set[Any]:
        """Returns the operations that some run needed."""
        number = len(self.fetched)
        if self._all_ran[0] != number:
            self._all_ran = number, set().union(*[self.ran(fetched) for fetched in list(self.fetched)])
        return self._all_ran[1]

    def trains(self, fetched: Tuple[Any, ...]) -> bool:
        """Returns whether a run of `fetched` applies gradients."""
        if fetched not in self._trains:
            self._trains[fetched] = any(map(applies_gradient, self.ran(fetched)))
        return self._trains[fetched]

    def note_feeds(self, graph: Any, fetched: Tuple[Any, ...], feed_dict: Any) -> None:
        """Records what a run feeds, if it is a training step, and whether a thread fills a queue by it."""
        if feed_dict and len(self.runs) < RUNS and self.trains(fetched):
            note_feeds(self.feeds, graph, feed_dict)
        if len(self.runs) < RUNS and any(each.type in ENQUEUE_OPS for each in fetched):
            self.filling_threads.note(calling_line())

    def note_run(self, graph: Any, fetched: Tuple[Any, ...]) -> None:
        """Records one run, and what the graph has got since the last one."""
        if len(self.runs) >= RUNS:
            if graph.version == self._version:  # otherwise each run may fetch something new
                self.fetched.add(fetched)
            return
        self.fetched.add(fetched)
        if self.runs:
            growth = [] if graph.version == self._version else _growth(graph.get_operations()[self._operations:])
            self.growths.append(growth)
        if graph.version != self._version:
            self._version, self._operations = graph.version, len(graph.get_operations())
        self.runs.append(fetched)
        self.in_main_thread.append(threading.current_thread() is threading.main_thread())


class Observer:
    """Records the sessions of a script.

    Attributes:
      graphs: graph -> what its sessions did, in the order of their first session.
    """

    def __init__(self) -> None:
        self.graphs: Dict[Any, Observed] = {}
        self._open: Any = weakref.WeakKeyDictionary()  # session -> the line that created it
        self._running: Dict[int, Tuple[float, Any, Optional[Tuple[Any, ...]]]] = {}  # thread -> begin, graph, fetched
        self._lock = threading.Lock()

    def of(self, graph: Any) -> Observed:
        return self.graphs.setdefault(graph, Observed())

    def note_session(self, session: Any, graph: Any) -> None:
        """Records a session that the script, or TensorFlow for it, creates."""
        line = calling_line()
        with self._lock:
            self._open[session] = line
            lines = list(self._open.values())
            observed = self.of(graph)
            observed.most_open[line] = max(observed.most_open.get(line, 0), lines.count(line))

    def note_close(self, session: Any) -> None:
        """Records that a session is closed."""
        with self._lock:
            self._open.pop(session, None)

    def note_start(self, session: Any, coordinator: Any) -> None:
        """Records a call of `tf.train.start_queue_runners`."""
        with self._lock:
            self.of(session.graph).starts.append((calling_line(), coordinator is not None))

    def run(self, call: Callable[..., Any], session: Any, fetches: Any, *arguments: Any) -> Any:
        """Returns `call(fetches, *arguments)`, a run of the session, and records it."""
        fetched = self._note(session, fetches, True, *arguments[:1])
        thread = threading.get_ident()
        self._running[thread] = time.time(), session.graph, fetched
        try:
            return call(fetches, *arguments)
        finally:
            self._running.pop(thread, None)

    def note_callable(self, session: Any, fetches: Any) -> None:
        """Records that `make_callable` prepares runs of `fetches`, as queue runners do."""
        self._note(session, fetches, is_run=False)

    def _note(
        self, session: Any, fetches: Any, is_run: bool, feed_dict: Any = None
    ) -> Optional[Tuple[Any, ...]]:
        fetched = fetched_operations(session, fetches)
        if fetched is None:
            return None
        with self._lock:
            observed = self.of(session.graph)
            if is_run:
                observed.note_feeds(session.graph, fetched, feed_dict)
                observed.note_run(session.graph, fetched)
            else:
                observed.fetched.add(fetched)
        return fetched

    def seconds_of_main_run(self) -> float:
        """Returns the seconds that the main thread's session run lasts already; 0 if it is in none.

        A thread that fills a queue may well wait for long.
        """
        running = self._running.get(threading.main_thread().ident or 0)
        return 0.0 if running is None else time.time() - running[0]

    def give_up_main_run(self) -> str:
        """Records that the main thread's session run does not end; returns the line of the script that made it."""
        thread = threading.main_thread().ident or 0
        running = self._running.get(thread)
        if running is not None:
            with self._lock:
                self.of(running[1]).unended = running[2]
        return line_of_thread(thread)


def _growth(operations: List[Any]) -> List[Growth]:
    found: Dict[str, Growth] = {}
    for each in operations:
        line = user_line(each)
        if line in found:
            found[line] = found[line]._replace(number=found[line].number + 1)
        elif line:
            found[line] = Growth(line, each.name, each.type, 1)
    return list(found.values())
