"""Shows the session runs that Keras makes in `fit()`, `evaluate()` and `predict()` to what watches a script."""
from typing import Any, Callable, ContextManager

from legacy_towers.compat.patches import session_callables


def watched(runtime: Any) -> ContextManager[None]:
    """Shows the runs of Keras's functions to what watches a script, until the context ends.

    Those of the first training step of a graph are examined. With an observer, all are recorded, and count as steps.

    Args:
      runtime: the `ScriptRuntime`.
    """

    def around(made: Callable[..., Any], session: Any, options: Any) -> Callable[..., Any]:
        if runtime.observer is None and runtime.training_start is None and runtime.towers is None:
            return made
        fetches = [session.graph.as_graph_element(name) for name in (*options.fetch, *options.target)]
        if runtime.towers is not None:
            runtime.towers.refuse_other_runs(session, fetches, "Keras")
        call = made if runtime.observer is None else _recorded(runtime, made, session, fetches, tuple(options.feed))
        start = runtime.training_start

        def run(*values: Any, **keywords: Any) -> Any:
            nonlocal start
            if start is not None and not start.before_run(session, fetches):
                start = None
            return call(*values, **keywords)

        return run

    return session_callables.through(around)


def _recorded(runtime: Any, made: Callable[..., Any], session: Any, fetches: Any, fed: Any) -> Callable[..., Any]:
    limit = runtime.step_limit
    runs = None if limit is None else limit.of_session(runtime, is_monitored=False)

    def run(*values: Any, **keywords: Any) -> Any:
        if runs is not None:
            runs.count(session, fetches, "")
        feeds = dict(zip(fed, values))
        return runtime.observer.run(lambda *_: made(*values, **keywords), session, fetches, feeds)

    return run
