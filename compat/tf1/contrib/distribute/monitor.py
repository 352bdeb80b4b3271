"""tf.contrib.distribute.Monitor: runs the steps of a `Step`."""
from typing import Any, Optional

from legacy_towers.compat.versions import tf


class Monitor:
    """Initializes variables, and runs steps until the data ends.

    Args:
      step_callable: a `Step`, such as StandardSingleLossStep.
      session: the session.

    Raises:
      ValueError: no session is given.
    """

    def __init__(self, step_callable: Any, session: Any = None) -> None:
        if session is None:
            raise ValueError("Should provide a `session` in Graph mode.")
        initialize = getattr(step_callable, "initialize", None)
        if initialize is not None:
            session.run(initialize())
        self._run_step = session.make_callable(step_callable())
        session.run(tf.global_variables_initializer())

    def run_steps(self, num_steps: Optional[int] = None) -> None:
        """Runs `num_steps` steps, or all until the end of the data."""
        step = 0
        while num_steps is None or step < num_steps:
            try:
                self._run_step()
            except tf.errors.OutOfRangeError:
                return
            step += 1
