"""One step after the other in a bare session: what MonitoredSession does for hooks, queues and variables."""
import warnings
from typing import Any, Callable, Dict, List, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.compat.messages import with_operation
from legacy_towers.errors import ArgumentError

# How long queue runners may take to end; a blocked one ends as soon as its queue is closed.
_GRACE_SECONDS = 30.0


class Running:
    """A context manager over a session that the caller made and closes.

    On entry it initializes what is not initialized yet (a restored session stays restored), tells the hooks, and starts
    the graph's queue runners; on exit it stops and joins them. The end of the data (OutOfRangeError) ends the block
    quietly, as in MonitoredSession; an error in a queue runner is raised itself, not the closed queue that it left.
    """

    def __init__(
        self,
        session: Any,
        train_op: Any,
        hooks: Sequence[Any],
        initialize: Callable[[Any], None],
        global_step: Optional[Any] = None,
    ) -> None:
        """
        Args:
          session: the session.
          train_op: the operation of a step; or a function that takes (step, part) and returns it: the number of steps
            before it, and the part that the caller named or None.
          hooks: tf.train.SessionRunHooks.
          initialize: initializes what is not initialized yet in the session it is given.
          global_step: the variable that tells, on entry, how many steps there were before; None: there were none.
        """
        self._session = session
        self._train_op = train_op
        self._hooks = list(hooks)
        self._initialize = initialize
        self._global_step = global_step
        self._steps = 0  # before the next one
        self._callables: Dict[Any, Any] = {}  # (train op, id of a fetch) -> what runs both, and the fetch
        self._coordinator: Any = None  # while running
        self._threads: List[Any] = []

    def __enter__(self) -> "Running":
        if self._session.graph is not self._op(0, None).graph:
            raise ArgumentError("the session is of another graph than the step: make it by tf.Session(graph=...)")
        if self._coordinator is not None:
            raise ArgumentError("the step is running already: leave its block before you enter another one")
        self._coordinator = tf.train.Coordinator(clean_stop_exception_types=(tf.errors.CancelledError,))
        try:
            with self._session.graph.as_default():
                self._start()
        except BaseException:
            self._stop(quietly=True)
            raise
        return self

    def _start(self) -> None:
        for hook in self._hooks:
            hook.begin()
        self._initialize(self._session)
        if self._global_step is not None:
            self._steps = int(self._session.run(self._global_step))
        # Before the hooks, as in MonitoredSession: a hook may take the first batches from a queue.
        if tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS):
            self._threads = tf.train.start_queue_runners(self._session, self._coordinator)
        for hook in self._hooks:
            hook.after_create_session(self._session, self._coordinator)

    def __call__(
        self, fetches: Any = None, feed_dict: Optional[Dict[Any, Any]] = None, part: Optional[str] = None
    ) -> Any:
        """Runs one step.

        Args:
          fetches: what to return of it, any structure that `Session.run` takes.
          feed_dict: values for placeholders of your own; the way in feeds its own.
          part: which part of the step to run, where parts take turns; None: the one whose turn it is.

        Returns:
          The values of `fetches`, None without any.

        Raises:
          ArgumentError: the step is not running; there is no such part; two hooks, or a hook and the caller, feed the
            same tensor.
        """
        if self._coordinator is None:
            raise ArgumentError("the step is not running: call it inside `with step.running(session) as run:`")
        train_op = self._op(self._steps, part)
        # An empty list costs nothing, and every fetch structure keeps its shape.
        wanted = {"train_op": train_op, "fetches": [] if fetches is None else fetches}
        context = tf.train.SessionRunContext(tf.train.SessionRunArgs(wanted, feed_dict), self._session)
        asked = [(hook, hook.before_run(context)) for hook in self._hooks]
        if not feed_dict and all(request is None for _, request in asked) and _is_plain(fetches):
            return self._run_plainly(train_op, fetches, context)
        feed = dict(feed_dict or {})
        wanted = dict(wanted)
        options = None
        for index, (hook, request) in enumerate(asked):
            if request is None:
                continue
            if request.feed_dict:
                _add_feeds(feed, request.feed_dict, hook)
            if request.fetches is not None:
                wanted["hook {}".format(index)] = request.fetches
            options = _merge(options, request.options)
        metadata = tf.RunMetadata() if options is not None else None
        try:
            values = self._session.run(wanted, feed or None, options=options, run_metadata=metadata)
        except tf.errors.OpError:
            self._raise_cause()
            raise
        self._steps += 1
        for index, (hook, _) in enumerate(asked):
            result = values.get("hook {}".format(index))
            hook.after_run(context, tf.train.SessionRunValues(result, options, metadata))
        self._pass_on_a_stop(context)
        return None if fetches is None else values["fetches"]

    def _run_plainly(self, train_op: Any, fetch: Optional[Any], context: Any) -> Any:
        """Runs a step that is fed nothing and of which nobody but the caller wants anything.

        By a callable, which is made once: `Session.run` looks at what it is to fetch anew each time, for 30 to 40 us
        (tests/benchmarks/step_overhead.py).
        """
        key = (train_op, None if fetch is None else id(fetch))
        if key not in self._callables:
            run = self._session.make_callable(train_op if fetch is None else [train_op, fetch])
            self._callables[key] = run, fetch
        try:
            values = self._callables[key][0]()
        except tf.errors.OpError as error:
            self._raise_cause()
            raise with_operation(error, self._session.graph) from None
        self._steps += 1
        for hook in self._hooks:
            hook.after_run(context, tf.train.SessionRunValues(None, None, None))
        self._pass_on_a_stop(context)
        return None if fetch is None else values[1]

    def _pass_on_a_stop(self, context: Any) -> None:
        if context.stop_requested and self._coordinator is not None:
            self._coordinator.request_stop()

    def _op(self, step: int, part: Optional[str]) -> Any:
        if callable(self._train_op):
            return self._train_op(step, part)
        if part is not None:
            raise ArgumentError("part={!r}: this step has no parts".format(part))
        return self._train_op

    def should_stop(self) -> bool:
        """Returns whether a hook or a queue runner asked to stop."""
        return self._coordinator is not None and self._coordinator.should_stop()

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> bool:
        at_end_of_data = kind is not None and issubclass(kind, tf.errors.OutOfRangeError)
        try:
            if kind is None or at_end_of_data:
                for hook in self._hooks:
                    hook.end(self._session)
        finally:
            # Raises what a queue runner died of, also where the block ended by the closed queue that it left. An error
            # of the caller's own code goes first.
            self._stop(quietly=kind is not None and not issubclass(kind, tf.errors.OpError))
        return at_end_of_data

    def _stop(self, quietly: bool) -> None:
        """Stops and joins the queue runners; `quietly` warns of what they died of instead of raising it."""
        coordinator, self._coordinator = self._coordinator, None
        threads, self._threads = self._threads, []
        try:
            coordinator.request_stop()
            coordinator.join(threads, stop_grace_period_secs=_GRACE_SECONDS)
        except Exception as error:
            if not quietly:
                raise
            warnings.warn("beside the error that is raised, the queue runners had one: {}".format(error), stacklevel=3)

    def _raise_cause(self) -> None:
        if self._coordinator is not None:
            self._coordinator.raise_requested_exception()


def _is_plain(fetches: Any) -> bool:
    return fetches is None or isinstance(fetches, (tf.Tensor, tf.Operation))


def _add_feeds(feed: Dict[Any, Any], more: Dict[Any, Any], hook: Any) -> None:
    for tensor, value in more.items():
        if tensor in feed:
            raise ArgumentError(
                "{} feeds {!r}, which is fed already in this step".format(type(hook).__name__, tensor.name)
            )
        feed[tensor] = value


def _merge(options: Optional[Any], more: Optional[Any]) -> Optional[Any]:
    if more is None:
        return options
    merged = tf.RunOptions()
    if options is not None:
        merged.CopyFrom(options)
    level = max(merged.trace_level, more.trace_level)
    merged.MergeFrom(more)
    merged.trace_level = level
    return merged
