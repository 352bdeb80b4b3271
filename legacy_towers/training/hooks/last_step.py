"""Ends training at a global step, also where the session starts there."""
from typing import Any

from legacy_towers.compat import tf
from legacy_towers.step import TrainStep


class LastStepHook(tf.train.StopAtStepHook):
    """Ends training at a global step, as `tf.train.StopAtStepHook` does, and before the first step if it is reached.

    Args:
      step: the train step, of the default graph; towers that train asynchronously end there too.
      last_step: the global step at which training ends.
    """

    def __init__(self, step: TrainStep, last_step: int) -> None:
        super(LastStepHook, self).__init__(last_step=last_step)
        self._step = step
        self._end = last_step

    def begin(self) -> None:
        super(LastStepHook, self).begin()
        if self._step.asynchronous is not None:
            self._step.asynchronous.stop_at(self._end)

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Requests a stop if a restored session has reached the step: TensorFlow's hook looks after a run only."""
        super(LastStepHook, self).after_create_session(session, coord)
        if int(session.run(self._step.global_step)) >= self._end:
            coord.request_stop()
