"""Hooks beside queues: errors of queue runners."""
from typing import Any

from legacy_towers.compat import tf


class RaiseRunnerErrors(tf.train.SessionRunHook):
    """Raises what stopped a queue runner at the next run, instead of the closed queue that it left behind."""

    _coordinator: Any = None

    def after_create_session(self, session: Any, coord: Any) -> None:
        self._coordinator = coord

    def before_run(self, run_context: Any) -> None:
        if self._coordinator is not None:
            self._coordinator.raise_requested_exception()

    def end(self, session: Any) -> None:
        self._coordinator = None
