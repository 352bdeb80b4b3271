"""The hook of a switch: it drives the hooks of the way in that a run takes its batches from."""
from typing import Any, Dict, List, Optional

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.inputs.base import InputHook, TowerBatches
from legacy_towers.inputs.hook_group import HookGroup

# What can't be started again: queues close for ever, and nobody knows what stands before ready tensors.
_BY_QUEUES = ("queue", "from_queue", "from_tensors")


class SwitchHook(InputHook):
    """Drives the hooks of the way in that a run takes its batches from, and leaves the other's alone."""

    in_each_run = "chooses between the training and the validation batches of all towers"

    def __init__(
        self, train: TowerBatches, validation: TowerBatches, is_validating: Any, restart: Optional[List[Any]] = None
    ) -> None:
        """
        Args:
          train, validation: what both were built to.
          is_validating: boolean tensor.
          restart: what starts the validation data anew; None where its hooks do that.
        """
        super().__init__()
        self._train = HookGroup(train.hooks)
        self._validation = HookGroup(validation.hooks)
        self._validation_plan = validation.plan
        self._is_validating = is_validating
        self._restart = restart
        self._chosen = self._train
        self._session: Any = None
        self._coordinator: Any = None

    @property
    def is_running(self) -> bool:
        """Whether there is a session."""
        return self._session is not None

    def begin(self) -> None:
        self._train.begin()
        self._validation.begin()

    def after_create_session(self, session: Any, coord: Any) -> None:
        self._session, self._coordinator = session, coord
        self._train.after_create_session(session, coord)
        self._validation.after_create_session(session, coord)

    def before_run(self, run_context: Any) -> Any:
        self._chosen = self._validation if self._validates(run_context) else self._train
        try:
            return self._chosen.before_run(run_context)
        finally:
            for figure in ("waited_seconds", "fed_bytes", "copied_bytes"):
                setattr(self, figure, self._train.total(figure) + self._validation.total(figure))

    def after_run(self, run_context: Any, run_values: Any) -> None:
        self._chosen.after_run(run_context, run_values)

    def end(self, session: Any) -> None:
        self._session = None
        try:
            self._train.end(session)
        finally:
            self._validation.end(session)

    def validate(self, fetches: Any, feed_dict: Optional[Dict[Any, Any]]) -> Any:
        """See `SwitchInput.validate`."""
        feed = dict(feed_dict or {})
        feed[self._is_validating] = True
        context = tf.train.SessionRunContext(tf.train.SessionRunArgs(fetches, feed), self._session)
        request = self._validation.before_run(context) or tf.train.SessionRunArgs(None)
        feed.update(request.feed_dict or {})
        metadata = None if request.options is None else tf.RunMetadata()
        wanted = {"fetches": [] if fetches is None else fetches, "hooks": request.fetches or {}}
        values = self._session.run(wanted, feed, request.options, metadata)
        self._validation.after_run(context, tf.train.SessionRunValues(values["hooks"], request.options, metadata))
        return None if fetches is None else values["fetches"]

    def restart_validation(self) -> None:
        """See `SwitchInput.restart_validation`."""
        if self._restart is not None:
            self._session.run(self._restart)
            return
        if self._validation_plan.way in _BY_QUEUES:
            raise ArgumentError(
                "the validation data comes by {}: a queue that was closed can't be opened again. Read it without end, "
                "or by lt.inputs.dataset".format(self._validation_plan.way)
            )
        self._validation.after_create_session(self._session, self._coordinator)

    def _validates(self, run_context: Any) -> bool:
        graph = run_context.session.graph
        for key, value in (run_context.original_args.feed_dict or {}).items():
            if not isinstance(key, (str, tf.Tensor)):
                continue  # a sparse or ragged placeholder
            if graph.as_graph_element(key) is self._is_validating:
                return bool(np.asarray(value))
        return False
