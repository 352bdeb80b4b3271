"""Towers that apply on their own: each its own gradients, to variables that all share, whenever it has them."""
from typing import Any, Callable, Optional

from legacy_towers.errors import ArgumentError
from legacy_towers.variables.base import Placer, Strategy
from legacy_towers.variables.parameter_server import ParameterServer


class Asynchronous(Strategy):
    """Each tower reads the shared variables, computes its gradients and applies them, without waiting for the others.

        tower 0   read w0  compute        w1 = w0 + a            read w2  compute   ...
        tower 1        read w0  compute               w2 = w1 + b   read w2  compute   ...      (b was computed from w0)

    So an update may be of variables that others have written meanwhile; by how many updates it is late is its
    staleness, which a hook of the step counts (`legacy_towers.update.asynchronous_towers`; it tells how a run ends,
    too). Tower 0 is the caller's loop; the others run in threads that the step's hooks start: in a session without
    these hooks the train op fails, and says so. Updates are applied one at a time: none is lost, whatever the
    optimizer. A tower's update ops (batch-norm statistics) don't wait for that turn: what they add is all added, as
    tf.layers does it, but of two that assign a whole new value at once the later one stays.

    Where variables live is said by another strategy, in which the towers share them:

        lt.variables.Asynchronous()                                        # on /cpu:0
        lt.variables.Asynchronous(lt.variables.RoundRobin(lt.devices.gpus(4)))

    Args:
      variables: that strategy; None: `ParameterServer("/cpu:0")`.

    Raises:
      ArgumentError: `variables` is no strategy, or one that says itself how variables are updated.
    """

    updates = "asynchronous"

    def __init__(self, variables: Optional[Strategy] = None) -> None:
        if variables is None:
            variables = ParameterServer("/cpu:0")
        if not isinstance(variables, Strategy) or variables.copies or variables.updates != "reduced":
            raise ArgumentError(
                "Asynchronous({!r}): give a strategy that says where shared variables live, such as "
                "lt.variables.ParameterServer('/cpu:0')".format(variables)
            )
        self.variables = variables

    @property
    def partitioner(self) -> Optional[Callable[..., Any]]:  # type: ignore[override]
        """That of the strategy that says where variables live."""
        return self.variables.partitioner

    def placer(self) -> Placer:
        return self.variables.placer()

    def __repr__(self) -> str:
        return "Asynchronous({!r})".format(self.variables)
