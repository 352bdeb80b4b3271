"""`--queues-to-dataset`: converts a script's queues to tf.data before its first session runs."""
import os
import threading
import weakref
from typing import Any, Callable, Dict, List, Optional, Set

from legacy_towers.compat import tf
from legacy_towers.compat.versions.graph import unfinalized
from legacy_towers.compat.versions.session import operation_timeout_of
from legacy_towers.errors import ArgumentError
from legacy_towers.graph.walk import ancestors
from legacy_towers.migrate.conversion.convert import Conversion, convert
from legacy_towers.migrate.conversion.operations import is_source
from legacy_towers.migrate.conversion.plans import REFUSED, PipelinePlan
from legacy_towers.run.runtime import current
from legacy_towers.run.runtime.queue_proof import QueueProof
from legacy_towers.tensor_types import Coordinator, Graph, Session


class QueueConversion:
    """Converts the queues of each graph that a session runs.

    Args:
      print_line: prints a line on standard error.
      proof: compares each conversion with the queues before it is made; None: it is not compared.

    Attributes:
      plans: the plans of all conversions.
      proof: that.
    """

    def __init__(self, print_line: Callable[[str], None], proof: Optional[QueueProof] = None) -> None:
        self._print = print_line
        self.proof = proof
        self.plans: List[PipelinePlan] = []
        self._without_runners: Dict[int, Graph] = {}  # graphs whose queues have had no queue runner so far
        self._found = False  # whether a session had queue runners
        self._graphs: Any = weakref.WeakKeyDictionary()  # graph -> _Seen
        self._lock = threading.Lock()

    def before_run(self, session: Session) -> None:
        """Converts the queues whose queue runners have been added to the session's graph since its last run."""
        graph = session.graph
        seen = self._graphs.get(graph)
        if seen is not None and seen.version == graph.version:
            return
        with self._lock:
            seen = self._graphs.setdefault(graph, _Seen())
            if seen.version != graph.version:
                with unfinalized(graph):
                    self._convert(session, graph, seen)
                seen.version = graph.version

    def note_runner(self, runner: Any) -> None:
        """Remembers a queue runner of the script, which the script may start without a collection."""
        if runner.enqueue_ops:
            graph = getattr(runner.enqueue_ops[0], "op", runner.enqueue_ops[0]).graph
            with self._lock:
                self._graphs.setdefault(graph, _Seen()).made.append(runner)

    def has_converted(self, runner: Any) -> bool:
        """Returns whether the queue that a queue runner of the script fills is read by tf.data."""
        return any(runner in seen.converted for seen in self._graphs.values())

    def start_iterators(self, session: Session, coordinator: Optional[Coordinator]) -> None:
        """Starts the iterators of a session's graph, as `tf.train.start_queue_runners` does."""
        for conversion in self._graphs[session.graph].conversions:
            if conversion.starter is not None:
                conversion.starter.create_threads(session, coordinator)

    def check_timeout(self, session: Session, fetches: Any, options: Any) -> None:
        """Checks that a run has no time limit that takes from a queue which Python code fills.

        A run that is out of time cancels what a dataset waits for, which gives no element afterwards; a dequeue can be
        run again.

        Raises:
          ArgumentError: it has one.
        """
        limit = getattr(options, "timeout_in_ms", 0) or operation_timeout_of(session)
        seen = self._graphs.get(session.graph) if limit > 0 else None
        for conversion in seen.conversions if seen is not None else ():
            names = [plan.name for plan in conversion.plans if plan.filled]
            if names and not {each.op for each in conversion.replaced.values()}.isdisjoint(
                ancestors(fetches, graph=session.graph)
            ):
                raise ArgumentError(
                    "this session run has a time limit of {} ms and takes from {!r}, which tf.data reads and Python "
                    "code fills: after a timeout a dataset gives no more elements; run the script without "
                    "--queues-to-dataset".format(limit, names[0])
                )

    def _convert(self, session: Session, graph: Graph, seen: "_Seen") -> None:
        for conversion in seen.conversions:
            conversion.rewire()
        collected = graph.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
        own = [each for each in seen.made if each not in collected and each not in seen.runners]
        runners = set(collected + own) - seen.runners
        if not runners:
            if not seen.runners and not session.sess_str:
                new = graph.get_operations()[seen.operations:]
                seen.operations += len(new)
                if any(is_source(each) for each in new):
                    self._without_runners[id(seen)] = graph
            return
        self._found = True
        self._without_runners.pop(id(seen), None)
        seen.runners |= runners
        if session.sess_str:
            self._print("the queues of a session on a server are not converted to tf.data: {}".format(session.sess_str))
            return
        for runner in own:
            graph.add_to_collection(tf.GraphKeys.QUEUE_RUNNERS, runner)
        try:
            if self.proof is not None:
                self.proof.check(graph)
            conversion = convert(graph)
        finally:
            left = graph.get_collection_ref(tf.GraphKeys.QUEUE_RUNNERS)
            seen.converted |= runners - set(left)
            left[:] = [each for each in left if each not in own]  # those that are left, the script starts itself
        seen.conversions.append(conversion)
        for plan in conversion.plans:
            self._report(plan)

    def _report(self, plan: PipelinePlan) -> None:
        self.plans.append(plan)
        for line in _lines(plan):
            self._print(line)

    def end(self) -> None:
        """Reports queues without a queue runner, and says so if there was no queue to convert."""
        for graph in self._without_runners.values():
            with unfinalized(graph):
                plans = convert(graph).plans
            for plan in plans:
                self._report(plan)
        if not self.plans and not self._found:
            self._print("--queues-to-dataset: no session that the script ran reads from a queue with a queue runner")


class _Seen:
    """What is known of one graph.

    Attributes:
      version: its version when its session ran last.
      made: the queue runners that the script has made itself.
      runners: its queue runners, converted or refused.
      converted: those of them whose queues are read by tf.data.
      conversions: its conversions.
      operations: how many of its operations were searched for reads from queues.
    """

    def __init__(self) -> None:
        self.version = -1
        self.made: List[Any] = []
        self.runners: Set[Any] = set()
        self.converted: Set[Any] = set()
        self.conversions: List[Conversion] = []
        self.operations = 0


def start_queue_runners(sess: Any = None, *args: Any, **kwargs: Any) -> Any:
    runtime = current.script_runtime()
    session = tf.get_default_session() if sess is None else sess
    if runtime is not None and runtime.queues is not None and isinstance(session, tf.Session):
        runtime.queues.before_run(session)
    if runtime is not None and runtime.observer is not None and isinstance(session, tf.Session):
        coordinator = args[0] if args else kwargs.get("coord")
        runtime.observer.note_start(session, coordinator)
    return tf.train.start_queue_runners(sess, *args, **kwargs)


def _lines(plan: PipelinePlan) -> List[str]:
    if plan.promise == REFUSED:
        folder = os.path.join(os.getcwd(), "")
        line = plan.line[len(folder):] if plan.line.startswith(folder) else plan.line
        return ["{!r} stays a queue: {} ({!r}, {})".format(plan.name, plan.reason, plan.operation, line)]
    filled = "; Python code fills {} as before".format(" and ".join(map(repr, plan.filled))) if plan.filled else ""
    first, *others = plan.since()
    lines = ["{!r} is read by tf.data: {}{}".format(plan.name, plan.promise, first)] + others
    return lines[:-1] + [lines[-1] + filled]
