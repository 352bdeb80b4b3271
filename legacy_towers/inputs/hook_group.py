"""Several hooks as one, for those who call hooks without a MonitoredSession: a step, and wrappers of pipelines."""
from typing import Any, Dict, List, Optional, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.inputs.record_files import explained
from legacy_towers.tensor_types import Coordinator, Session, SessionRunHook


class HookGroup:
    """Calls `tf.train.SessionRunHook`s as MonitoredSession does."""

    def __init__(self, hooks: Sequence[SessionRunHook]) -> None:
        self._hooks = list(hooks)
        self._requests: List[Tuple[Any, Any]] = []  # (hook, what its before_run returned), of the current run

    def begin(self) -> None:
        for hook in self._hooks:
            hook.begin()

    def after_create_session(self, session: Session, coord: Coordinator) -> None:
        for hook in self._hooks:
            hook.after_create_session(session, coord)

    def before_run(self, run_context: Any) -> Optional[Any]:
        """Returns the requests of all hooks as one `tf.train.SessionRunArgs`; None if there are none.

        Raises:
          ArgumentError: two hooks, or a hook and the caller, feed the same tensor.
        """
        self._requests = []
        requests = [(hook, hook.before_run(run_context)) for hook in self._hooks]
        self._requests = requests
        caller = run_context.original_args.feed_dict or {}
        asked = [request for _, request in requests if request is not None]
        if len(asked) <= 1 and not caller and (not asked or asked[0].fetches is None):
            return asked[0] if asked else None  # nearly always: only the input pipeline asks for something
        feed: Dict[Any, Any] = {}
        options = None
        for hook, request in requests:
            if request is None:
                continue
            for tensor, value in (request.feed_dict or {}).items():
                if tensor in feed or tensor in caller:
                    raise ArgumentError("{} feeds {!r}, which {} feeds already".format(
                        type(hook).__name__, tensor.name, "another hook" if tensor in feed else "the caller of the run"
                    ))
                feed[tensor] = value
            if request.options is not None:
                options = options or tf.RunOptions()
                level = max(options.trace_level, request.options.trace_level)
                options.MergeFrom(request.options)
                options.trace_level = level
        # By index: a hook may fetch any structure.
        fetches = {
            str(index): request.fetches
            for index, (_, request) in enumerate(requests) if request is not None and request.fetches is not None
        }
        if not feed and not fetches and options is None:
            return None
        return tf.train.SessionRunArgs(fetches or None, feed or None, options)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Passes each hook its results; `run_values.results` are those of the fetches that `before_run` returned."""
        results = run_values.results or {}
        requests, self._requests = self._requests, []
        for index, (hook, _) in enumerate(requests):
            hook.after_run(run_context, run_values._replace(results=results.get(str(index))))

    def end(self, session: Session) -> None:
        for hook in self._hooks:
            hook.end(session)

    def explain(self, error: BaseException) -> Optional[BaseException]:
        """Returns an error that names the file and the record of `error`; None if no hook knows one."""
        return explained(self._hooks, error)

    def total(self, attribute: str) -> Any:
        """Returns the sum of an attribute, such as "fed_bytes", over the hooks that have it."""
        return sum(getattr(hook, attribute, 0) for hook in self._hooks)
