"""Rejects a session whose input queues are closed already: every step in it would end at once, without an error."""
from typing import Any, Dict, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.errors import InputError
from legacy_towers.text.names import quoted


class ClosedQueueCheck:
    """Checks that queues are open in a session.

    Args:
      queues_to_check: `tf.QueueBase`s; None: those that the default graph's queue runners fill.
    """

    def __init__(self, queues_to_check: Optional[Sequence[Any]] = None) -> None:
        if queues_to_check is None:
            runners = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
            # One that starts iterators fills no queue.
            queues_to_check = [queue_of(runner) for runner in runners if runner.queue is not None]
        queues = {queue.name: queue for queue in queues_to_check}
        # A queue made under tf.control_dependencies can't be queried before its dependencies have run.
        queues = {name: queue for name, queue in queues.items() if not queue.queue_ref.op.control_inputs}
        self._closed: Dict[str, Any] = {}
        with tf.name_scope("closed_queues"):
            for name, queue in queues.items():
                with tf.device(queue.queue_ref.device):
                    self._closed[name] = queue.is_closed()

    def __call__(self, session: Any) -> None:
        """Raises InputError, which names the queue, if one is closed in `session`."""
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


def queue_of(runner: Any) -> Any:
    """Returns the tf.QueueBase that a queue runner fills.

    A queue runner that was imported with a MetaGraph knows only its queue's operation.
    """
    queue = runner.queue
    return tf.QueueBase([], None, None, queue.outputs[0]) if isinstance(queue, tf.Operation) else queue
