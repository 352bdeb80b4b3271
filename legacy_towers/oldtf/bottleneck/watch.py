"""Watches the session runs of a script: when each began and ended, what it was fed, and the trace of some of them."""
import threading
import time
from typing import Any, Callable, List, NamedTuple, Optional, Tuple

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.inputs.aligned import is_aligned
from legacy_towers.oldtf.machine.steps import MONITORED

# One run in so many is traced; tracing makes a run slower, so its own time does not count.
TRACED = 5
# Composite values stay with TensorFlow, and so do handles of tensors.
_NO_ARRAYS = (tf.SparseTensorValue, tf.IndexedSlices)


class Fed(NamedTuple):
    """What one run was fed.

    Attributes:
      tensor: the name of the tensor that was fed.
      size: in bytes, as TensorFlow takes it.
      converted: whether Python had to make an array of it first: it was a list, or of another dtype.
      copied: whether TensorFlow copies the array: it is not aligned, or not contiguous.
    """

    tensor: str
    size: int
    converted: bool
    copied: bool


class Run(NamedTuple):
    """One session run.

    Attributes:
      fetched: the names of what it fetched.
      thread: the thread that made it.
      start, end: in seconds, of time.perf_counter; the making of arrays from what is fed is within.
      converting: the seconds that making arrays took.
      fed: what it was fed.
      metadata: the RunMetadata of a traced run, else None.
      graph: the session's graph.
      counts: whether it may be a step: it does more than to initialize, or to fill a queue.
      is_partial: whether it is one of partial_run, which TensorFlow does not trace.
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
    """All runs of the script's sessions, in the order in which they ended.

    Attributes:
      runs: the runs.
      is_running: whether the main thread is within a run.
    """

    def __init__(self) -> None:
        self.runs: List[Run] = []
        self.is_running = False
        # By what is fetched: how many runs since the last traced one.
        self._counts: Any = {}
        # TensorFlow traces one run at a time in a process, and refuses a second.
        self._tracing = threading.Lock()
        self._main = threading.main_thread().ident

    @property
    def is_between_runs(self) -> bool:
        """Whether the main thread is in Python, after the first run."""
        return bool(self.runs) and not self.is_running

    def run(
        self, call: Callable[..., Any], session: Any, fetches: Any, feed_dict: Any, options: Any, run_metadata: Any,
        counts: bool = True,
    ) -> Any:
        """Makes the run `call(fetches, feed_dict, options, run_metadata)`, and keeps what it saw."""
        fetched = _names(fetches)
        count = self._counts[fetched] = self._counts.get(fetched, 0) + 1
        # The first runs of a kind start what lasts. Where another thread's run is traced, the next of this kind is.
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
        """Makes the part `call(fetches, feed_dict)` of a partial run, and keeps what it saw: no trace is to be had."""
        value, seen = self._timed(lambda feeds: call(fetches, feeds), session, feed_dict)
        self.runs.append(seen._replace(fetched=_names(fetches), counts=counts, is_partial=True))
        return value

    def _timed(self, call: Callable[[Any], Any], session: Any, feed_dict: Any) -> Tuple[Any, Run]:
        """Returns what `call(feeds)` returned, and when that was."""
        thread = threading.get_ident()
        if thread == self._main:  # the only one that writes it
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
    """Returns the options of a run with a trace; None where the script asks for one itself: that is left as it is."""
    traced = tf.RunOptions()
    if isinstance(options, tf.RunOptions):
        traced.CopyFrom(options)
    elif options is not None:  # TensorFlow's to refuse
        return None
    if traced.trace_level != tf.RunOptions.NO_TRACE:
        return None
    traced.trace_level = tf.RunOptions.FULL_TRACE
    return traced


def _names(fetches: Any) -> Tuple[str, ...]:
    if isinstance(fetches, dict) and MONITORED in fetches:  # a MonitoredSession's: hooks fetch now this, now that
        fetches = fetches[MONITORED]
    if isinstance(fetches, dict):
        fetches = [fetches[key] for key in sorted(fetches, key=str)]
    if isinstance(fetches, (list, tuple)):
        return tuple(name for each in fetches for name in _names(each))
    return (str(getattr(fetches, "name", fetches)),)


def _arrays(graph: Any, feed_dict: Any) -> Tuple[Any, List[Fed]]:
    """Returns the feeds with arrays made of lists, as TensorFlow would make them, and what they are."""
    if not feed_dict or not hasattr(feed_dict, "items"):
        return feed_dict, []
    feeds, fed = {}, []
    for key, value in feed_dict.items():
        tensor = _tensor(graph, key)
        feeds[key] = value
        if tensor is None or isinstance(value, _NO_ARRAYS) or hasattr(value, "handle"):
            continue
        dtype = tensor.dtype.as_numpy_dtype
        try:
            array = np.asarray(value, dtype=dtype)
        except (TypeError, ValueError, OverflowError, NotImplementedError):  # TensorFlow's to refuse, in its own words
            continue
        if not isinstance(value, int):  # TensorFlow looks whether the placeholder's type holds it
            feeds[key] = array
        made = array is not value
        fed.append(Fed(tensor.name, int(array.nbytes), made, not is_aligned(array)))
    return feeds, fed


def _tensor(graph: Any, key: Any) -> Optional[Any]:
    if isinstance(key, tf.Tensor):
        return key
    try:
        found = graph.as_graph_element(key, allow_operation=False) if isinstance(key, (str, bytes)) else None
    except (KeyError, ValueError, TypeError):
        return None
    return found
