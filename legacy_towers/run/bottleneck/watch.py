"""Records the session runs of a script: start, end and feeds of each, and the trace of some."""
import threading
import time
from typing import Any, Callable, List, NamedTuple, Tuple

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.inputs.feeds.aligned import is_aligned
from legacy_towers.run.runtime.feeds import fed_tensor
from legacy_towers.run.runtime.step_limit import MONITORED_FETCHES

# One run in this many is traced. Tracing slows a run down, so the times of traced runs are not used.
TRACED = 5
# Values that are not converted to arrays here: composite values; tensor handles are excluded, too.
_NO_ARRAYS = (tf.SparseTensorValue, tf.IndexedSlices)


class Fed(NamedTuple):
    """One feed of a session run.

    Attributes:
      tensor: name of the fed tensor.
      size: bytes of the array in the placeholder's dtype.
      converted: whether the value was converted to an array: it was a list, or had another dtype.
      copied: whether TensorFlow copies the array: it is not aligned, or not contiguous.
    """

    tensor: str
    size: int
    converted: bool
    copied: bool


class Run(NamedTuple):
    """One session run.

    Attributes:
      fetched: names of the fetched tensors and operations.
      thread: identifier of the thread that called it.
      start, end: time.perf_counter() in seconds, including the conversion of feeds.
      converting: seconds that the conversion of feeds to arrays took.
      fed: the feeds.
      metadata: the RunMetadata of a traced run, else None.
      graph: the session's graph.
      counts: whether it may be a step; runs that only initialize or fill a queue are not.
      is_partial: whether it is a Session.partial_run, which TensorFlow can't trace.
    """

    fetched: Tuple[str, ...]
    thread: int
    start: float
    end: float
    converting: float
    fed: List[Fed]
    metadata: Any
    graph: Any
    counts: bool = True
    is_partial: bool = False


class Watch:
    """Records all session runs of the script.

    Attributes:
      runs: the runs, in the order in which they ended.
      is_running: whether the main thread is in a session run.
    """

    def __init__(self) -> None:
        self.runs: List[Run] = []
        self.is_running = False
        # Fetched names -> number of runs since the last traced one.
        self._counts: Any = {}
        # TensorFlow traces one run at a time in a process; a second one raises an error.
        self._tracing = threading.Lock()
        self._main = threading.main_thread().ident

    @property
    def is_between_runs(self) -> bool:
        """Whether the main thread is outside of session runs, after the first one."""
        return bool(self.runs) and not self.is_running

    def run(
        self, call: Callable[..., Any], session: Any, fetches: Any, feed_dict: Any, options: Any, run_metadata: Any,
        counts: bool = True,
    ) -> Any:
        """Returns `call(fetches, feed_dict, options, run_metadata)` and records the run."""
        fetched = _names(fetches)
        count = self._counts[fetched] = self._counts.get(fetched, 0) + 1
        # The first runs of a kind include one-time setup. While another thread's run is traced, this kind waits for
        # its next run.
        traced = _with_trace(options) if count >= TRACED else None
        if traced is not None and not self._tracing.acquire(False):
            traced = None
        if traced is not None:
            self._counts[fetched] = 0
        metadata = run_metadata if traced is None else tf.RunMetadata()
        try:
            value, seen = self._timed(
                lambda feeds: call(fetches, feeds, options if traced is None else traced, metadata), session, feed_dict
            )
        finally:
            if traced is not None:
                self._tracing.release()
        if traced is not None and run_metadata is not None:  # a MonitoredSession always gives one
            run_metadata.CopyFrom(metadata)
            run_metadata.ClearField("step_stats")
        kept = metadata if traced is not None else None
        self.runs.append(seen._replace(fetched=fetched, metadata=kept, counts=counts))
        return value

    def run_partial(
        self, call: Callable[..., Any], session: Any, fetches: Any, feed_dict: Any, counts: bool = True
    ) -> Any:
        """Returns `call(fetches, feed_dict)`, a part of a partial run, and records it without a trace."""
        value, seen = self._timed(lambda feeds: call(fetches, feeds), session, feed_dict)
        self.runs.append(seen._replace(fetched=_names(fetches), counts=counts, is_partial=True))
        return value

    def _timed(self, call: Callable[[Any], Any], session: Any, feed_dict: Any) -> Tuple[Any, Run]:
        """Returns (the result of `call(feeds)`, its times and feeds)."""
        thread = threading.get_ident()
        if thread == self._main:  # only the main thread writes it
            self.is_running = True
        start = time.perf_counter()
        try:
            feeds, fed = _arrays(session.graph, feed_dict)
            converted = time.perf_counter()
            value = call(feeds)
        finally:
            end = time.perf_counter()
            if thread == self._main:
                self.is_running = False
        return value, Run((), thread, start, end, converted - start, fed, None, session.graph)


def _with_trace(options: Any) -> Any:
    """Returns the options of a traced run; None if the script itself requests a trace."""
    traced = tf.RunOptions()
    if isinstance(options, tf.RunOptions):
        traced.CopyFrom(options)
    elif options is not None:  # TensorFlow rejects it
        return None
    if traced.trace_level != tf.RunOptions.NO_TRACE:
        return None
    traced.trace_level = tf.RunOptions.FULL_TRACE
    return traced


def _names(fetches: Any) -> Tuple[str, ...]:
    if isinstance(fetches, dict) and MONITORED_FETCHES in fetches:  # of a MonitoredSession: its hooks fetch more
        fetches = fetches[MONITORED_FETCHES]
    if isinstance(fetches, dict):
        fetches = [fetches[key] for key in sorted(fetches, key=str)]
    if isinstance(fetches, (list, tuple)):
        return tuple(name for each in fetches for name in _names(each))
    return (str(getattr(fetches, "name", fetches)),)


def _arrays(graph: Any, feed_dict: Any) -> Tuple[Any, List[Fed]]:
    """Returns (the feeds converted to arrays as TensorFlow does, their records)."""
    if not feed_dict or not hasattr(feed_dict, "items"):
        return feed_dict, []
    feeds, fed = {}, []
    for key, value in feed_dict.items():
        tensor = fed_tensor(graph, key)
        feeds[key] = value
        if tensor is None or isinstance(value, _NO_ARRAYS) or hasattr(value, "handle"):
            continue
        dtype = tensor.dtype.as_numpy_dtype
        try:
            array = np.asarray(value, dtype=dtype)
        except (TypeError, ValueError, OverflowError, NotImplementedError):  # TensorFlow raises its own error
            continue
        if not isinstance(value, int):  # TensorFlow checks whether the placeholder's dtype can hold it
            feeds[key] = array
        made = array is not value
        fed.append(Fed(tensor.name, int(array.nbytes), made, not is_aligned(array)))
    return feeds, fed
