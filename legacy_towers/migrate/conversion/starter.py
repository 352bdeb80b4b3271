"""Starts iterators where a program starts its queue runners."""
from typing import Any, List, Optional, Sequence

from legacy_towers.tensor_types import Coordinator, Operation, Session


class IteratorStarter:
    """Stands in the collection QUEUE_RUNNERS, and runs initializers of iterators in place of threads.

    `tf.train.start_queue_runners` and a MonitoredSession call it when variables and tables are initialized.

    Args:
      initializers: what to run.
    """

    def __init__(self, initializers: Sequence[Operation]) -> None:
        self._initializers = list(initializers)
        self.enqueue_ops: List[Operation] = []
        self.queue = None
        self.name = "queues_to_dataset"

    def create_threads(
        self, sess: Session, coord: Optional[Coordinator] = None, daemon: bool = False, start: bool = False
    ) -> List[Any]:
        """Runs the initializers; returns no threads."""
        sess.run(self._initializers)
        return []

    def to_proto(self, export_scope: Optional[str] = None) -> None:
        """Returns None: a MetaGraph has the initializers among those of its tables."""
        return None
