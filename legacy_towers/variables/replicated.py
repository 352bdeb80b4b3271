"""A copy of the variables on every tower, kept equal."""
from typing import Any, List, Optional

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.variables.base import Placer, Strategy
from legacy_towers.variables.copies import TowerVariables
from legacy_towers.variables.own_device import OwnDevicePlacer
from legacy_towers.variables.synchronize import CopyOperations, operations_of


class Replicated(Strategy):
    """Each tower has a copy of the variables on its own device, and applies the same reduced gradient to it.

        tower 0: w            -> gradient \\            / -> w            (in checkpoints, as without towers)
        tower 1: w/replica_1  -> gradient -> reduction -> -> w/replica_1
        tower 2: w/replica_2  -> gradient /            \\ -> w/replica_2

    Variables made before the towers, outside of the model function, are shared. Copies are local variables, which no
    checkpoint holds; at the start of a session, after initialization or restoring, the step's hook makes them equal to
    tower 0's, with optimizer slots and batch-norm statistics. What writes tower 0's variables alone in the middle of a
    session, such as a `restore` of your own, or starts local variables anew, needs `lt.variables.synchronize(session)`
    behind it.

    Args:
      check_every: after how many runs the hook checks that all copies are equal, bit for bit; 0: never.
        `lt.variables.check_copies(session)` does so at once.

    Raises:
      ArgumentError: `check_every` is no whole number of at least 0.
    """

    copies = True

    def __init__(self, check_every: int = 0) -> None:
        if isinstance(check_every, bool) or not isinstance(check_every, int) or check_every < 0:
            raise ArgumentError("Replicated(check_every={!r}): give a whole number of runs, or 0".format(check_every))
        self.check_every = check_every

    def placer(self) -> Placer:
        return OwnDevicePlacer()

    def attach(self, variables: TowerVariables) -> List[Any]:
        return [ReplicaHook(variables, self.check_every)]

    def __repr__(self) -> str:
        return "Replicated({})".format("check_every={}".format(self.check_every) if self.check_every else "")


class ReplicaHook(tf.train.SessionRunHook):
    """Makes the copies equal when a session starts, and checks that they are after every so many runs.

    Raises, after a run:
      TowerError: a copy has drifted; names the variable, the tower and by how much.
    """

    def __init__(self, variables: TowerVariables, check_every: int = 0) -> None:
        self._variables = variables
        self._check_every = check_every
        self._runs = 0
        self._operations: Optional[CopyOperations] = None

    def begin(self) -> None:
        self._operations = operations_of(self._variables)
        self._operations.prepare()

    def after_create_session(self, session: Any, coord: Any) -> None:
        self._runs = 0
        session.run(self._made().copies_from_plain())

    def after_run(self, run_context: Any, run_values: Any) -> None:
        self._runs += 1
        if self._check_every and self._runs % self._check_every == 0:
            self._made().check_equal(run_context.session)

    def _made(self) -> CopyOperations:
        if self._operations is None:
            raise ArgumentError("the hook of Replicated(...) was not begun: a session calls hook.begin() first")
        return self._operations
