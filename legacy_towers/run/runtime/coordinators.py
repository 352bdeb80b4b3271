"""tf.train.Coordinator of a script, which prints the error that ends a thread, whether the script handles it or not.

A thread that fills a queue or reads files reports its error to the coordinator and closes its queue. The main thread
then sees OutOfRangeError, as at the end of the epochs, and scripts print "epoch limit reached"; if they don't join the
threads, the error is not reported.
"""
import threading
from typing import Any

from legacy_towers.compat import tf
from legacy_towers.compat.tf1 import user_script
from legacy_towers.compat.versions.messages import plain_message

# What ends a thread at the end of its data, or because another thread asked all to stop.
_ENDS = (tf.errors.OutOfRangeError, tf.errors.CancelledError, StopIteration)

_CLOSED = "closed Session"


class _AnyCoordinator(type):
    """Makes `isinstance(coord, tf.train.Coordinator)` true for those that TensorFlow creates itself, too."""

    def __instancecheck__(cls, instance: Any) -> bool:
        if cls.__module__ == __name__:
            return isinstance(instance, tf.train.Coordinator)
        return super().__instancecheck__(instance)


class Coordinator(tf.train.Coordinator, metaclass=_AnyCoordinator):
    """A coordinator that prints the first error which ends one of its threads."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._has_shown_an_error = False

    def request_stop(self, ex: Any = None) -> None:
        error = ex[1] if isinstance(ex, tuple) and len(ex) > 1 else ex
        in_thread = threading.current_thread() is not threading.main_thread()
        # Threads that still run when the session is closed fail, too.
        if in_thread and isinstance(error, Exception) and not isinstance(error, _ENDS) and _CLOSED not in str(error):
            if not self._has_shown_an_error:
                self._has_shown_an_error = True
                thread = threading.current_thread().name
                user_script.print_message(
                    "the thread {} ended with {}: {}".format(thread, type(error).__name__, _message(error))
                )
        super().request_stop(ex)


def _message(error: Exception) -> str:
    text = plain_message(error) if isinstance(error, tf.errors.OpError) else str(error)
    return " ".join(text.split())
