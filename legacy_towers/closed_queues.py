"""Refuse a session whose input queues are closed already: every step in it would end at once, without a word."""
from typing import Any, Dict

from legacy_towers.compat import tf
from legacy_towers.errors import InputError
from legacy_towers.names import quoted


class ClosedQueueCheck:
    """The check for the queues that the default graph's queue runners fill."""

    def __init__(self) -> None:
        queues = {runner.queue.name: runner.queue for runner in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)}
        # One that was made under tf.control_dependencies can't be asked before what it depends on has run.
        queues = {name: queue for name, queue in queues.items() if not queue.queue_ref.op.control_inputs}
        self._closed: Dict[str, Any] = {}
        with tf.name_scope("closed_queues"):
            for name, queue in queues.items():
                with tf.device(queue.queue_ref.device):
                    self._closed[name] = queue.is_closed()

    def __call__(self, session: Any) -> None:
        """Raises InputError if a queue is closed in `session`; names it."""
        if not self._closed:
            return
        closed = sorted(name for name, is_closed in session.run(self._closed).items() if is_closed)
        if closed:
            raise InputError(
                "{} closed in this session, because an earlier run over its queues has ended, and TensorFlow can't "
                "open a queue again: make a new session, and restore the variables there".format(
                    ("the queue {} is" if len(closed) == 1 else "the queues {} are").format(quoted(closed))
                )
            )
