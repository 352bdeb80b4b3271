"""Starts iterators where a program starts its queue runners."""
import threading
import weakref
from typing import Any, List, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.compat.versions.session import WhileOpen, run_before_close
from legacy_towers.tensor_types import Coordinator, Operation, Session


class IteratorStarter:
    """Stands in the collection QUEUE_RUNNERS, and runs initializers of iterators in place of threads.

    `tf.train.start_queue_runners` and a MonitoredSession call it when variables and tables are initialized. It starts
    the iterators of a session once.

    Args:
      initializers: what to run.
      first_reads: what runs after them: it takes the first elements, which are of no use to the model.
      closes: closes the queues that Python code fills, where the coordinator stops: as queue runners close theirs, so
        that nobody waits for ever for an element.
      cancels: closes them and gives up what waits to put an element into them, where the session is closed.
    """

    def __init__(
        self, initializers: Sequence[Operation], first_reads: Sequence[Operation] = (),
        closes: Sequence[Operation] = (), cancels: Sequence[Operation] = (),
    ) -> None:
        self._initializers, self._first_reads = list(initializers), list(first_reads)
        self._closes, self._cancels = list(closes), list(cancels)
        self._started: Any = weakref.WeakSet()
        self.enqueue_ops: List[Operation] = []
        self.queue = None
        self.name = "queues_to_dataset"

    def create_threads(
        self, sess: Session, coord: Optional[Coordinator] = None, daemon: bool = False, start: bool = False
    ) -> List[Any]:
        """Runs the initializers; returns no threads."""
        if sess in self._started:
            return []
        sess.run(self._initializers)
        if self._first_reads:
            _run(sess, self._first_reads)
        self._started.add(sess)
        if self._cancels:
            run_before_close(sess, self._cancels)
        if self._closes and coord is not None:
            # The coordinator does not wait for it: it may wait for threads that put elements into a full queue.
            arguments = (WhileOpen(sess), coord, self._closes)
            threading.Thread(target=_close_at_stop, args=arguments, daemon=True).start()
        return []

    def to_proto(self, export_scope: Optional[str] = None) -> None:
        """Returns None: a MetaGraph has the initializers among those of its tables."""
        return None


def _run(session: Session, operations: Sequence[Operation]) -> None:
    """Runs operations that are not steps of the program: what counts and watches these does not see them."""
    if isinstance(session, tf.Session):
        tf.Session.run(session, operations)
    else:
        session.run(operations)


def _close_at_stop(session: WhileOpen, coordinator: Coordinator, closes: Sequence[Operation]) -> None:
    coordinator.wait_for_stop()
    try:
        session.run(lambda opened: _run(opened, closes))
    except (RuntimeError, tf.errors.CancelledError) as error:  # the session or the queue is closed
        del error
