"""tf.train.QueueRunner of a script: --queues-to-dataset converts its queue also where the script starts it itself."""
from typing import Any, List, Optional

from legacy_towers.compat import tf
from legacy_towers.run.runtime import current
from legacy_towers.tensor_types import Coordinator, Session


class _AnyQueueRunner(type):
    """Makes `isinstance(runner, tf.train.QueueRunner)` true for those that TensorFlow creates itself, too."""

    def __instancecheck__(cls, instance: Any) -> bool:
        if cls.__module__ == __name__:
            return isinstance(instance, tf.train.QueueRunner)
        return super().__instancecheck__(instance)


class QueueRunner(tf.train.QueueRunner, metaclass=_AnyQueueRunner):
    """A queue runner that is known before a script adds it to a collection or starts it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        conversion = _conversion()
        if conversion is not None:
            conversion.note_runner(self)

    def create_threads(
        self, sess: Session, coord: Optional[Coordinator] = None, daemon: bool = False, start: bool = False
    ) -> List[Any]:
        """Returns the threads that fill the queue; none if tf.data is read in its place."""
        conversion = _conversion()
        if conversion is not None and isinstance(sess, tf.Session):
            conversion.before_run(sess)
            if conversion.has_converted(self):
                conversion.start_iterators(sess, coord)
                return []
        threads: List[Any] = super().create_threads(sess, coord=coord, daemon=daemon, start=start)
        return threads


def _conversion() -> Any:
    runtime = current.script_runtime()
    return None if runtime is None else runtime.queues
