"""Stages the batches of one step after the other in the slots of staging areas."""
from typing import Any, Dict, List, Optional, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.compat.versions.session import fed_callable
from legacy_towers.inputs.checked_feed import CheckedFeed
from legacy_towers.inputs.hook_group import HookGroup
from legacy_towers.inputs.wrappers.staging_thread import Stager
from legacy_towers.tensor_types import Coordinator, Operation, Session


class SlotStager(Stager):
    """Stages the batches of one step in the next free slot, and removes the batches of a slot that has been used."""

    def __init__(
        self, session: Session, coordinator: Optional[Coordinator], hooks: HookGroup, fills: Sequence[Operation],
        empties: Sequence[List[Operation]], ahead: int
    ) -> None:
        """
        Args:
          fills: per slot the operation that takes a step's batches and stages them.
          empties: per slot the operations that remove the batches of the next slot, which have been used.
        """
        self._session = session
        self._coordinator = coordinator
        self._hooks = hooks
        self._staged_steps = 0
        self._unused = ahead + 1  # the first steps have no used slot to remove
        self._steps: List[Tuple[Any, Any, Any]] = []
        self._fed: Dict[int, Any] = {}  # slot -> (the feed's tensors, a function of their arrays or None)
        for fill, empty in zip(fills, empties):
            both = [fill] + empty
            # Without feeds a callable takes a third of the time of session.run.
            make_callable = getattr(session, "make_callable", None)
            self._steps.append((fill, both, None if make_callable is None else make_callable(both)))

    def __call__(self) -> int:
        """Stages a step and returns its slot."""
        slot = self._staged_steps % len(self._steps)
        fill, both, call = self._steps[slot]
        operations = both if self._staged_steps >= self._unused else [fill]
        context = tf.train.SessionRunContext(tf.train.SessionRunArgs(operations), self._session)
        request = self._hooks.before_run(context)
        fed = self._fed_call(slot, request) if operations is both else None
        values = tf.train.SessionRunValues(None, None, None)
        self.in_session = True
        try:
            if request is None and operations is both and call is not None:
                call()
            elif request is None:
                self._session.run(operations)
            elif fed is not None:
                fed(*request.feed_dict.values())
            else:
                metadata = None if request.options is None else tf.RunMetadata()
                _, results = self._session.run(
                    [operations, request.fetches or {}], request.feed_dict, request.options, metadata
                )
                values = tf.train.SessionRunValues(results, request.options, metadata)
        finally:
            self.in_session = False
        self._staged_steps += 1
        if not self.stopped:
            self._hooks.after_run(context, values)
            if context.stop_requested and self._coordinator is not None:
                self._coordinator.request_stop()
        return slot

    def _fed_call(self, slot: int, request: Any) -> Optional[Any]:
        """Returns a function of the arrays that a hook feeds, which does without the checks of session.run."""
        if request is None or not isinstance(request.feed_dict, CheckedFeed) or request.fetches or request.options:
            return None
        feeds = list(request.feed_dict)
        known = self._fed.get(slot)
        if known is None or [id(feed) for feed in known[0]] != [id(feed) for feed in feeds]:
            known = self._fed[slot] = (feeds, fed_callable(self._session, [], self._steps[slot][1], feeds))
        return known[1]
