"""`Replicated`: each tower has a copy of the variables; all copies stay equal."""
from typing import Any, List, Optional

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.tensor_types import Coordinator, Session, SessionRunHook
from legacy_towers.variables.base import OwnDevicePlacer, Placer, Strategy
from legacy_towers.variables.synchronize import CopyOperations, operations_of
from legacy_towers.variables.tower_variables import TowerVariables


class Replicated(Strategy):
    """Each tower has a copy of the variables on its own device, and applies the same reduced gradient to it.

        tower 0: w            -> gradient \\            / -> w            (in checkpoints, as without towers)
        tower 1: w/replica_1  -> gradient -> reduction -> -> w/replica_1
        tower 2: w/replica_2  -> gradient /            \\ -> w/replica_2

    Variables created before the towers, outside the model function, are shared. Copies are local variables, which no
    checkpoint contains; at the start of a session, after initialization or restoring, the step's hook sets them to
    tower 0's values, with optimizer slots and batch-norm statistics. If something writes tower 0's variables alone
    during a session, such as your own `restore`, or initializes local variables again, call
    `lt.variables.synchronize(session)` after it.

    Args:
      check_every: the number of runs after which the hook checks that all copies are equal, bit for bit; 0: never.
        `lt.variables.check_copies(session)` checks at once.

    Raises:
      ArgumentError: `check_every` is not an integer of at least 0.

    Source of the method: tf_cnn_benchmarks' variable_update="replicated".
    """

    copies = True

    def __init__(self, check_every: int = 0) -> None:
        if isinstance(check_every, bool) or not isinstance(check_every, int) or check_every < 0:
            raise ArgumentError(
                "Replicated(check_every={!r}): pass an integer number of runs, or 0".format(check_every)
            )
        self.check_every = check_every

    def placer(self) -> Placer:
        return OwnDevicePlacer()

    def attach(self, variables: TowerVariables) -> List[SessionRunHook]:
        return [ReplicaHook(variables, self.check_every)]

    def __repr__(self) -> str:
        return "Replicated({})".format("check_every={}".format(self.check_every) if self.check_every else "")


class ReplicaHook(tf.train.SessionRunHook):
    """Sets the copies to the same values when a session starts, and checks them after every `check_every` runs.

    Raises, after a run:
      TowerError: a copy differs; names the variable, the tower and the difference.
    """

    def __init__(self, variables: TowerVariables, check_every: int = 0) -> None:
        self._variables = variables
        self._check_every = check_every
        self._runs = 0
        self._operations: Optional[CopyOperations] = None

    def begin(self) -> None:
        self._operations = operations_of(self._variables)
        self._operations.prepare()

    def after_create_session(self, session: Session, coord: Coordinator) -> None:
        self._runs = 0
        session.run(self._prepared_operations().copies_from_plain())

    def after_run(self, run_context: Any, run_values: Any) -> None:
        self._runs += 1
        if self._check_every and self._runs % self._check_every == 0:
            self._prepared_operations().check_equal(run_context.session)

    def _prepared_operations(self) -> CopyOperations:
        if self._operations is None:
            raise ArgumentError(
                "the hook of Replicated(...) was not started: call hook.begin() before the session is created"
            )
        return self._operations
