"""`legacy-towers run --towers N`: replicates each graph that a script trains, before its first training step."""
import threading
import weakref
from typing import Any, Callable, Dict, FrozenSet, Hashable, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.compat.versions.graph import extending
from legacy_towers.compat.versions.redirection import Redirection
from legacy_towers.graph.walk import ancestors, fetch_key, operations_of
from legacy_towers.replication.check import compare, values_before
from legacy_towers.replication.live import elements_of
from legacy_towers.replication.plan import ReplicationPlan, plan_of
from legacy_towers.replication.refusal import SENTENCE, NotReplicable
from legacy_towers.replication.sparse_feeds import expanded
from legacy_towers.replication.step import ReplicatedStep, trains
from legacy_towers.run.runtime.step_limit import MONITORED_FETCHES
from legacy_towers.tensor_types import Graph, Session, Tensor


class TowerRuns:
    """Runs the training steps of a script on towers.

    Args:
      devices: returns the device of each tower, once TensorFlow knows its devices.
      keep: "global" or "per-tower".
      print_line: prints one line.

    Attributes:
      plans: the plan of each training step.
    """

    def __init__(self, devices: Callable[[], List[str]], keep: str, print_line: Callable[[str], None]) -> None:
        self._devices, self._keep, self._print = devices, keep, print_line
        self._graphs: Any = weakref.WeakKeyDictionary()  # graph -> _Seen
        self._lock = threading.RLock()
        self._ended = False
        self.plans: List[ReplicationPlan] = []

    def run(
        self, call: Callable[..., Any], session: Session, fetches: Any, feed_dict: Any = None, options: Any = None,
        run_metadata: Any = None,
    ) -> Any:
        """Runs `call`, the run of a session; a training step runs on the towers."""
        seen = self._graphs.get(session.graph)
        key = fetch_key(list(fetches.values()) if _is_monitored(fetches) else fetches)
        replaced = seen.known.get(key, (None, None))[1] if seen is not None and key is not None else None
        if replaced is None:
            with self._lock:
                seen = self._seen(session.graph)
                replaced, first = self._replaced(seen, session, fetches, feed_dict)
                if key is not None:
                    seen.known[key] = fetches, replaced
                values = None if first is None else self._values_before(first, session)
            # Without the lock: the step may wait for a thread of the script that makes session runs, too.
            if first is not None:
                return self._first_run(first, values, seen, call, (fetches, feed_dict, options, run_metadata))
        if not replaced:
            return call(fetches, feed_dict, options, run_metadata)
        with seen.redirection.replacing(replaced):
            return call(fetches, feed_dict, options, run_metadata)

    def _values_before(self, first: "_First", session: Session) -> Tuple[Dict[Any, Any], List[Tensor]]:
        """Returns the values of the variables before the first step, and what fetches the examples that it reads."""
        graph = session.graph
        with extending(graph), graph.as_default(), tf.control_dependencies(None):
            values = values_before(first.step, session, first.fetched)
            # By other names than those that the script may fetch, which are replaced.
            return values, [tf.identity(each, "replicate/read") for each in first.read]

    def _first_run(
        self, first: "_First", before: Any, seen: "_Seen", call: Callable[..., Any], arguments: Tuple[Any, ...]
    ) -> Any:
        """Runs the first training step, and compares it with one device before the script sees its results.

        Examples that it feeds are known before it runs; what it reads from a queue or an iterator is known after it.
        """
        fetches, *others = arguments
        values, read = before
        if not read:
            self._compare(first, values, first.feeds)
        try:
            with seen.redirection.replacing(first.replaced):
                result, examples = call([fetches, read], *others)
        except Exception:
            with self._lock:
                seen.forget(first.step)  # the next one is the first, and compared
            raise
        if read:
            self._compare(first, values, {**first.feeds, **dict(zip(first.read, examples))})
        return result

    def _compare(self, first: "_First", values: Dict[Any, Any], batch: Dict[Tensor, Any]) -> None:
        try:
            comparison = compare(first.step, values, batch, first.fetched)
        except NotReplicable as error:
            self._end(str(error))
        plan = plan_of(first.step, comparison)
        self.plans.append(plan)
        for line in plan.lines():
            self._print("--towers: " + line)

    def refuse_other_runs(self, session: Session, fetches: Any, what: str) -> None:
        """Ends the script if `fetches`, which it runs in another way than by `session.run`, are a training step."""
        operations = _operations(session, fetches)
        if operations and trains(operations, session.graph):
            self._end(SENTENCE.format("a training step is run by {}, and not by session.run".format(what)))

    def callable(self, made: Callable[..., Any], session: Session, fetches: Any) -> Callable[..., Any]:
        """Returns `made`, which runs `fetches` without feeds; a training step runs by `session.run` instead."""
        operations = _operations(session, fetches)
        if not operations or not trains(operations, session.graph):
            return made
        return lambda *arguments, **keywords: session.run(fetches, None, *arguments, **keywords)

    def end(self) -> None:
        """Reports if no graph was replicated, since the script has trained none."""
        if not self.plans and not self._ended:
            self._print(
                "--towers: no session run of the script changed a variable by a gradient: nothing was replicated")

    def _seen(self, graph: Graph) -> "_Seen":
        if graph not in self._graphs:
            self._graphs[graph] = _Seen(Redirection.of(graph))
        seen: _Seen = self._graphs[graph]
        return seen

    def _replaced(
        self, seen: "_Seen", session: Session, fetches: Any, feed_dict: Any
    ) -> Tuple[Dict[str, Any], "Optional[_First]"]:
        """Returns name -> what is fetched in its place, empty if it is no training step, and the step if it is new."""
        operations = _operations(session, fetches)
        key = frozenset(operations)
        if key in seen.replaced:
            return seen.replaced[key], None
        replaced: Dict[str, Any] = {}
        first = None
        if operations and trains(operations, session.graph):
            if session.sess_str:
                self._end(SENTENCE.format("the session is on a server ({})".format(session.sess_str)))
            try:
                with extending(session.graph):
                    replaced, first = self._replicate(seen, session, operations, fetches, feed_dict)
            except NotReplicable as error:
                self._end(str(error))
        seen.replaced[key] = replaced
        return replaced, first

    def _replicate(
        self, seen: "_Seen", session: Session, operations: Sequence[Any], fetches: Any, feed_dict: Any
    ) -> Tuple[Dict[str, Any], "Optional[_First]"]:
        graph = session.graph
        elements = elements_of(graph, list(fetches.values()) if _is_monitored(fetches) else fetches)
        needed = ancestors(list(operations), graph=graph)
        for step in seen.steps:
            if step.has_losses_of(needed):
                return step.replaced(elements), None
        feeds, sparse = expanded(graph, feed_dict or {})
        step = ReplicatedStep(graph, operations, feeds, self._devices(), self._keep, sparse)
        replaced = step.replaced(elements)
        fetched = [(each, replaced[each.name]) for each in elements
                   if not isinstance(each, tf.Operation) and each.name in replaced]
        seen.steps.append(step)
        return replaced, _First(step, replaced, feeds, fetched)

    def _end(self, reason: str) -> None:
        self._print("error: --towers {}: {}".format(len(self._devices()), reason))
        self._ended = True
        raise SystemExit(2)


class _First(NamedTuple):
    """A training step that was replicated and has not run yet.

    Attributes:
      step: the step.
      replaced: name -> what is fetched in its place.
      feeds: what it feeds.
      fetched: (tensor that it fetches, what takes its place).
    """

    step: ReplicatedStep
    replaced: Dict[str, Any]
    feeds: Dict[Tensor, Any]
    fetched: List[Tuple[Tensor, Tensor]]

    @property
    def read(self) -> List[Tensor]:
        """The examples that it reads from queues and iterators."""
        examples = self.step.examples
        return [each for each in examples.tensors if each.op in examples.reads]


class _Seen:
    """What is known of one graph.

    Attributes:
      redirection: lets its sessions fetch other tensors.
      steps: its replicated steps.
      replaced: fetched operations -> what takes their places, by name; empty: they are no training step.
      known: key of fetches -> (the fetches, kept so that their identities in the key stay valid; what takes the places
        of their elements).
    """

    def __init__(self, redirection: Redirection) -> None:
        self.redirection = redirection
        self.steps: List[ReplicatedStep] = []
        self.replaced: Dict[FrozenSet[Any], Dict[str, Any]] = {}
        self.known: Dict[Hashable, Tuple[Any, Dict[str, Any]]] = {}

    def forget(self, step: ReplicatedStep) -> None:
        """Forgets a step that has not run, so that it is replicated again."""
        self.steps.remove(step)
        self.known.clear()
        self.replaced.clear()


def _is_monitored(fetches: Any) -> bool:
    return isinstance(fetches, dict) and MONITORED_FETCHES in fetches


def _operations(session: Session, fetches: Any) -> List[Any]:
    """Returns the operations of `fetches`; an empty list if TensorFlow is going to reject them."""
    try:
        return operations_of(list(fetches.values()) if _is_monitored(fetches) else fetches, session.graph)
    except (TypeError, ValueError, KeyError, AttributeError):
        return []
