"""Run steps in a `tf.Session`: what MonitoredSession does for hooks, queues and variables."""
import warnings
from typing import Any, Callable, Dict, List, Optional, Sequence, Union

from legacy_towers.compat import tf
from legacy_towers.compat.versions.messages import with_operation
from legacy_towers.errors import ArgumentError
from legacy_towers.graph.walk import fetch_key
from legacy_towers.inputs.checked_feed import CheckedFeed
from legacy_towers.inputs.hook_group import HookGroup
from legacy_towers.step.callables import step_callable
from legacy_towers.tensor_types import Coordinator, Fetches, Operation, Session, SessionRunHook, Variable

# How long queue runners may take to end; a blocked one ends as soon as its queue is closed.
_GRACE_SECONDS = 30.0


class Running:
    """Runs steps in a session that the caller creates and closes; a context manager.

    On entry it initializes the variables that are not initialized yet (a restored session stays restored), calls the
    hooks, and starts the graph's queue runners; on exit it stops and joins them. The end of the data (OutOfRangeError)
    ends the block without an error, as in MonitoredSession. Where a queue runner fails, its own error is raised, not
    the error of the closed queue that follows from it.
    """

    def __init__(
        self,
        session: Session,
        train_op: Union[Operation, Callable[[int, Optional[str]], Operation]],
        hooks: Sequence[SessionRunHook],
        initialize: Callable[[Session], None],
        global_step: Optional[Variable] = None,
    ) -> None:
        """
        Args:
          train_op: the operation of a step; or a function that takes (number of steps before it, the objective that the
            caller named or None) and returns it.
          initialize: initializes, in the session that it is given, what is not initialized yet.
          global_step: the variable that holds, on entry, the number of steps before; None: there were none.
        """
        self._session = session
        self._train_op = train_op
        self._hooks = HookGroup(hooks)
        self._initialize = initialize
        self._global_step = global_step
        self._steps = 0  # before the next one
        self._callables: Dict[Any, Any] = {}  # (train op, key of fetches, ids of feeds) -> callable, ...
        self._coordinator: Coordinator = None  # None outside of the block
        self._threads: List[Any] = []

    def __enter__(self) -> "Running":
        if self._session.graph is not self._train_op_of(0, None).graph:
            raise ArgumentError("the session has another graph than the step: create it by tf.Session(graph=...)")
        if self._coordinator is not None:
            raise ArgumentError("the step is running already: leave its `with` block before you enter another")
        self._coordinator = tf.train.Coordinator(clean_stop_exception_types=(tf.errors.CancelledError,))
        try:
            with self._session.graph.as_default():
                self._start()
        except BaseException:
            self._stop(quietly=True)
            raise
        return self

    def _start(self) -> None:
        self._hooks.begin()
        self._initialize(self._session)
        if self._global_step is not None:
            self._steps = int(self._session.run(self._global_step))
        # Before the hooks, as in MonitoredSession: a hook may dequeue the first batches.
        if tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS):
            self._threads = tf.train.start_queue_runners(self._session, self._coordinator)
        self._hooks.after_create_session(self._session, self._coordinator)

    def __call__(
        self, fetches: Fetches = None, feed_dict: Optional[Dict[Any, Any]] = None, objective: Optional[str] = None
    ) -> Any:
        """Runs one step.

        Args:
          fetches: what to return, any structure that `Session.run` takes.
          feed_dict: values for your own placeholders; the input pipeline feeds its own.
          objective: the objective to train, where objectives alternate; None: the one whose turn it is.

        Returns:
          The values of `fetches`; None without fetches.

        Raises:
          ArgumentError: the step is not running; it has no such objective; or two hooks, or a hook and the caller, feed
            the same tensor.
        """
        if self._coordinator is None:
            raise ArgumentError("the step is not running: call it inside `with step.running(session) as run:`")
        train_op = self._train_op_of(self._steps, objective)
        # An empty list costs nothing, and every fetch structure keeps its shape.
        wanted = {"train_op": train_op, "fetches": [] if fetches is None else fetches}
        context = tf.train.SessionRunContext(tf.train.SessionRunArgs(wanted, feed_dict), self._session)
        request = self._hooks.before_run(context)
        if not feed_dict and (request is None or _only_feeds(request)):
            key = fetch_key(fetches)
            call = None if key is None else self._callable(train_op, fetches, key, request)
            if call is not None:
                return self._run_callable(call, () if request is None else request.feed_dict.values(), context)
        request = request or tf.train.SessionRunArgs(None)
        feed = dict(feed_dict or {})
        feed.update(request.feed_dict or {})
        metadata = None if request.options is None else tf.RunMetadata()
        try:
            all_fetches = dict(wanted, hooks=request.fetches or {})
            values = self._session.run(all_fetches, feed or None, options=request.options, run_metadata=metadata)
        except tf.errors.OpError as error:
            self._raise_cause()
            self._raise_named(error)
            raise
        self._steps += 1
        self._hooks.after_run(context, tf.train.SessionRunValues(values["hooks"], request.options, metadata))
        self._forward_stop_request(context)
        return None if fetches is None else values["fetches"]

    def _callable(self, train_op: Any, fetches: Any, key: Any, request: Optional[Any]) -> Optional[Any]:
        """Returns a function of the fed arrays that runs a step and returns the values of `fetches`.

        It is created once: `Session.run` parses its fetches in each call, which takes 30 to 40 us, and checks and
        converts each fed value, which takes more (tests/benchmarks/step_overhead.py, feeding.py).

        Returns:
          None if `Session.run` has to be called.
        """
        feeds = [] if request is None else list(request.feed_dict)
        key = (train_op, key, tuple(map(id, feeds)))
        if key not in self._callables:
            # The lists hold what the key has the identities of.
            self._callables[key] = step_callable(self._session, train_op, fetches, feeds), fetches, feeds
        return self._callables[key][0]

    def _run_callable(self, call: Any, arrays: Any, context: Any) -> Any:
        try:
            values = call(*arrays)
        except tf.errors.OpError as error:
            self._raise_cause()
            error = with_operation(error, self._session.graph)
            self._raise_named(error)
            raise error from None
        self._steps += 1
        self._hooks.after_run(context, tf.train.SessionRunValues(None, None, None))
        self._forward_stop_request(context)
        return values

    def _forward_stop_request(self, context: Any) -> None:
        if context.stop_requested and self._coordinator is not None:
            self._coordinator.request_stop()

    def _train_op_of(self, step: int, objective: Optional[str]) -> Operation:
        if callable(self._train_op):
            return self._train_op(step, objective)
        if objective is not None:
            raise ArgumentError("objective={!r}: this step has no objectives that alternate".format(objective))
        return self._train_op

    def should_stop(self) -> bool:
        """Returns whether a hook or a queue runner asked to stop."""
        return self._coordinator is not None and self._coordinator.should_stop()

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> bool:
        at_end_of_data = kind is not None and issubclass(kind, tf.errors.OutOfRangeError)
        try:
            if kind is None or at_end_of_data:
                self._hooks.end(self._session)
        finally:
            # Raises a queue runner's error, also in place of the error of the queue that it closed. An error of the
            # caller's own code has precedence.
            self._stop(kind is not None and not issubclass(kind, tf.errors.OpError), error)
        return at_end_of_data

    def _stop(self, quietly: bool, raised: Optional[BaseException] = None) -> None:
        """Stops and joins the queue runners; `quietly`: warns of their errors, except `raised`, and raises none."""
        coordinator, self._coordinator = self._coordinator, None
        threads, self._threads = self._threads, []
        try:
            coordinator.request_stop()
            try:
                coordinator.join(threads, stop_grace_period_secs=_GRACE_SECONDS)
            except tf.errors.OpError as error:
                self._raise_named(error)
                raise
        except Exception as error:
            if not quietly:
                raise
            if error is raised:
                return
            warnings.warn("besides the error that is raised, a queue runner failed: {}".format(error), stacklevel=3)

    def _raise_cause(self) -> None:
        if self._coordinator is not None:
            try:
                self._coordinator.raise_requested_exception()
            except tf.errors.OpError as error:
                self._raise_named(error)
                raise

    def _raise_named(self, error: BaseException) -> None:
        """Raises the error that names the file and the record of `error`, if it comes from one."""
        named = self._hooks.explain(error)
        if named is not None:
            raise named from None


def _only_feeds(request: Any) -> bool:
    return isinstance(request.feed_dict, CheckedFeed) and request.fetches is None and request.options is None
