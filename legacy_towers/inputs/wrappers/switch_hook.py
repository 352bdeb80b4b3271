"""The hook of a switch, which calls the hooks of the pipeline that a run takes its batches from."""
from typing import Any, Dict, List, Optional

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.inputs.base import InputHook, TowerBatches
from legacy_towers.inputs.hook_group import HookGroup
from legacy_towers.tensor_types import Coordinator, Fetches, Session, Tensor

# Pipelines that can't be restarted: a closed queue stays closed, and tensors may come from one.
_NOT_RESTARTABLE = ("queue", "from_queue", "from_tensors")


class SwitchHook(InputHook):
    """Calls the hooks of the pipeline that a run takes its batches from, and not those of the other one."""

    per_run_action = "selects the training or the validation batches of all towers"

    def __init__(
        self, train: TowerBatches, validation: TowerBatches, is_validating: Tensor, restart: Optional[List[Any]] = None
    ) -> None:
        """
        Args:
          restart: the operations that restart the validation data; None if its hooks do that.
        """
        super().__init__()
        self._train = HookGroup(train.hooks)
        self._validation = HookGroup(validation.hooks)
        self._validation_plan = validation.plan
        self._is_validating = is_validating
        self._restart = restart
        self._selected = self._train
        self._session: Any = None
        self._coordinator: Any = None

    @property
    def is_running(self) -> bool:
        """Whether there is a current session."""
        return self._session is not None

    def begin(self) -> None:
        self._train.begin()
        self._validation.begin()

    def after_create_session(self, session: Session, coord: Coordinator) -> None:
        self._session, self._coordinator = session, coord
        self._train.after_create_session(session, coord)
        self._validation.after_create_session(session, coord)

    def before_run(self, run_context: Any) -> Any:
        self._selected = self._validation if self.validates(run_context) else self._train
        try:
            return self._selected.before_run(run_context)
        finally:
            for attribute in ("waited_seconds", "fed_bytes", "copied_bytes"):
                setattr(self, attribute, self._train.total(attribute) + self._validation.total(attribute))

    def explain(self, error: BaseException) -> Optional[BaseException]:
        """Returns an error that names the file and the record of `error`; None if it comes from no record."""
        return self._train.explain(error) or self._validation.explain(error)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        self._selected.after_run(run_context, run_values)

    def end(self, session: Session) -> None:
        self._session = None
        try:
            self._train.end(session)
        finally:
            self._validation.end(session)

    def validate(self, fetches: Fetches, feed_dict: Optional[Dict[Any, Any]]) -> Any:
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
        if self._validation_plan.pipeline in _NOT_RESTARTABLE:
            raise ArgumentError(
                "the validation data is read by {}, and a closed queue can't be restarted: make the data endless, or "
                "use lt.inputs.dataset".format(self._validation_plan.pipeline)
            )
        self._validation.after_create_session(self._session, self._coordinator)

    def validates(self, run_context: Any) -> bool:
        """Returns whether a run takes a validation batch."""
        graph = run_context.session.graph
        for key, value in (run_context.original_args.feed_dict or {}).items():
            if not isinstance(key, (str, tf.Tensor)):
                continue  # a sparse or ragged placeholder
            if graph.as_graph_element(key) is self._is_validating:
                return bool(np.asarray(value))
        return False
