"""Several hooks as one: a way in that holds another drives the hooks of the other, in the runs that pull from it."""
from typing import Any, Dict, List, Optional, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError


class HookGroup:
    """Drives `tf.train.SessionRunHook`s as MonitoredSession does."""

    def __init__(self, hooks: Sequence[Any]) -> None:
        self._hooks = list(hooks)
        self._asked: List[Tuple[Any, Any]] = []  # (hook, what its before_run returned), of the run under way

    def begin(self) -> None:
        for hook in self._hooks:
            hook.begin()

    def after_create_session(self, session: Any, coord: Any) -> None:
        for hook in self._hooks:
            hook.after_create_session(session, coord)

    def before_run(self, run_context: Any) -> Optional[Any]:
        """Returns what all hooks together ask for, `tf.train.SessionRunArgs`; None if nothing.

        Raises:
          ArgumentError: two hooks feed the same tensor.
        """
        self._asked = []
        asked = [(hook, hook.before_run(run_context)) for hook in self._hooks]
        self._asked = asked
        feed: Dict[Any, Any] = {}
        options = None
        for hook, request in asked:
            if request is None:
                continue
            for tensor, value in (request.feed_dict or {}).items():
                if tensor in feed:
                    raise ArgumentError(
                        "{} feeds {!r}, which another hook feeds already".format(type(hook).__name__, tensor.name)
                    )
                feed[tensor] = value
            if request.options is not None:
                options = options or tf.RunOptions()
                level = max(options.trace_level, request.options.trace_level)
                options.MergeFrom(request.options)
                options.trace_level = level
        # By position: a hook may fetch any structure.
        fetches = {
            str(index): request.fetches
            for index, (_, request) in enumerate(asked) if request is not None and request.fetches is not None
        }
        if not feed and not fetches and options is None:
            return None
        return tf.train.SessionRunArgs(fetches or None, feed or None, options)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Hands each hook what it fetched; `run_values.results` is what came of the fetches that `before_run` gave."""
        results = run_values.results or {}
        asked, self._asked = self._asked, []
        for index, (hook, _) in enumerate(asked):
            hook.after_run(run_context, run_values._replace(results=results.get(str(index))))

    def end(self, session: Any) -> None:
        for hook in self._hooks:
            hook.end(session)

    def total(self, figure: str) -> Any:
        """Returns the sum of an attribute, such as "fed_bytes", over the hooks that have it."""
        return sum(getattr(hook, figure, 0) for hook in self._hooks)
