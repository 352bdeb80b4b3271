"""The queue runner of tf.train.SyncReplicasOptimizer's chief: its session closes without a wait of 120 seconds."""
import functools
import threading
from typing import Any, List

# How long the end waits for an update that is being applied.
_SECONDS = 2.0


def ends_with_the_session(runner: Any) -> Any:
    """Returns the queue runner, whose threads end when their session is closed.

    Its thread waits for the gradients of all workers, which do not come when they have ended: nothing but closing the
    session ends it. TensorFlow's sessions and supervisors wait for it before they close the session, for 120 seconds.

    Args:
      runner: the tf.train.QueueRunner of `SyncReplicasOptimizer.get_chief_queue_runner`; its `create_threads` is
        replaced.
    """
    if not isinstance(runner.create_threads, functools.partial):
        runner.create_threads = functools.partial(_create_threads, runner.create_threads)
    return runner


def _create_threads(create: Any, sess: Any, coord: Any = None, daemon: bool = False, start: bool = False) -> List[Any]:
    if coord is None:
        threads: List[Any] = create(sess, coord=coord, daemon=daemon, start=start)
        return threads
    threads = create(sess, coord=_NotWaiting(coord), daemon=True, start=start)
    if not threads:  # they were created before
        return threads
    waiting = threading.Thread(target=_wait, args=(coord, list(threads)), name="end of the chief's queue", daemon=True)
    coord.register_thread(waiting)
    if start:
        waiting.start()
    return threads + [waiting]


def _wait(coord: Any, threads: List[Any]) -> None:
    coord.wait_for_stop()
    for thread in threads:
        thread.join(_SECONDS)


class _NotWaiting:
    """A tf.train.Coordinator that does not wait for the threads which are registered with it."""

    def __init__(self, coord: Any) -> None:
        self._coord = coord

    def register_thread(self, thread: Any) -> None:
        """Does nothing."""

    def request_stop(self, ex: Any = None) -> None:
        """Passes the request on, unless all are to stop already: the error is then that of the closed session."""
        if not self._coord.should_stop():
            self._coord.request_stop(ex)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._coord, name)
