"""Hands each graph of a script on, once, before its first session run that applies gradients."""
import threading
import weakref
from typing import Any, Callable, Dict, Hashable, List, Set

from legacy_towers.compat import tf
from legacy_towers.compat.versions.queue_runners import is_started
from legacy_towers.graph.op_kinds import applies_gradient
from legacy_towers.graph.walk import fetch_key
from legacy_towers.run.runtime.observation import Observed, fetched_operations
from legacy_towers.tensor_types import Graph, Session


class TrainingStart:
    """Waits for the first training step of each graph.

    Args:
      examine: gets the graph and what its sessions have fetched so far, and returns the lines to print.
      print_line: prints one line.
    """

    def __init__(self, examine: Callable[[Graph, Observed], List[str]], print_line: Callable[[str], None]) -> None:
        self._examine = examine
        self._print = print_line
        self._said: Set[str] = set()
        self._graphs: Any = weakref.WeakKeyDictionary()  # graph -> _Seen
        self._lock = threading.Lock()

    def before_run(self, session: Session, fetches: Any) -> bool:
        """Examines the session's graph if a run of `fetches` is its first training step.

        Returns:
          Whether that step is still to come; if not, the session need not call this again.
        """
        with self._lock:
            seen = self._graphs.setdefault(session.graph, _Seen())
            if seen.is_done or not seen.note(session, fetches):
                return not seen.is_done
        self._begin(session.graph, seen)
        return False

    def of_callable(self, call: Callable[..., Any], session: Session, fetches: Any) -> Callable[..., Any]:
        """Returns `call`, which runs `fetches`; the first call examines the graph if it is its first training step."""
        with self._lock:
            seen = self._graphs.setdefault(session.graph, _Seen())
            if seen.is_done or not seen.note(session, fetches):
                return call

        def run(*arguments: Any, **keywords: Any) -> Any:
            self._begin(session.graph, seen)
            return call(*arguments, **keywords)

        return run

    def _begin(self, graph: Graph, seen: "_Seen") -> None:
        with self._lock:
            if seen.is_done:
                return
            seen.is_done = True
        for runner in graph.get_collection(tf.GraphKeys.QUEUE_RUNNERS):
            if is_started(runner):  # their threads may be about to make the callables that `note` records
                seen.observed.fetched.update((getattr(each, "op", each),) for each in runner.enqueue_ops)
        for line in self._examine(graph, seen.observed):
            if line not in self._said:
                self._said.add(line)
                self._print(line)


class _Seen:
    """What is known of one graph.

    Attributes:
      observed: what its sessions have fetched, each structure of fetches once.
      is_done: whether its first training step was seen.
    """

    def __init__(self) -> None:
        self.observed = Observed()
        self.is_done = False
        self._known: Dict[Hashable, Any] = {}  # of fetches, which are kept as long as their keys
        self._looked_at = 0  # operations in which gradient updates were looked for
        self._has_updates = False

    def note(self, session: Session, fetches: Any) -> bool:
        """Records a run of `fetches`; returns whether it applies gradients."""
        key = fetch_key(fetches)
        if key is not None and key in self._known:
            return False
        fetched = fetched_operations(session, fetches)
        if fetched is None or fetched in self.observed.fetched:
            return False
        if key is not None:
            self._known[key] = fetches
        self.observed.fetched.add(fetched)
        self.observed.runs.append(fetched)
        return self._may_apply_gradients(session.graph) and self.observed.trains(fetched)

    def _may_apply_gradients(self, graph: Graph) -> bool:
        if not self._has_updates:
            added = graph.get_operations()[self._looked_at:]
            self._looked_at += len(added)
            self._has_updates = any(map(applies_gradient, added))
        return self._has_updates
