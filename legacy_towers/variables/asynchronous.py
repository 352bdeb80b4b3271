"""`Asynchronous`: each tower applies its own gradients to shared variables, as soon as it has them."""
from typing import Any, Callable, Optional

from legacy_towers.errors import ArgumentError
from legacy_towers.variables.base import Placer, Strategy
from legacy_towers.variables.parameter_server import ParameterServer


class Asynchronous(Strategy):
    """Each tower reads the shared variables, computes its gradients and applies them, without waiting for the others.

        tower 0   read w0  compute        w1 = w0 + a            read w2  compute   ...
        tower 1        read w0  compute               w2 = w1 + b   read w2  compute   ...      (b was computed from w0)

    So a gradient can be applied to variables that other towers have updated since it was read; the number of these
    updates is its staleness, which a hook of the step counts (`legacy_towers.update.asynchronous_towers`, which also
    documents how a run ends). Tower 0 is the caller's loop; the others run in threads that the step's hooks start: in a
    session without these hooks the train op fails with an error that names them. Updates are applied one at a time, so
    that none is lost, whatever the optimizer. A tower's update ops (batch-norm statistics) are not serialized:
    additions, as tf.layers uses them, are all kept, but of two assignments at the same time the later one stays.

    Another strategy says where the shared variables live:

        lt.variables.Asynchronous()                                        # on /cpu:0
        lt.variables.Asynchronous(lt.variables.RoundRobin(lt.devices.gpus(4)))

    Args:
      variables: the strategy that places the variables; None: `ParameterServer("/cpu:0")`.

    Raises:
      ArgumentError: `variables` is not a strategy, or is one with copies or with another kind of update.

    Source of the method: asynchronous SGD: Dean et al. 2012, "Large Scale Distributed Deep Networks" (Downpour SGD).
    """

    updates = "asynchronous"

    def __init__(self, variables: Optional[Strategy] = None) -> None:
        if variables is None:
            variables = ParameterServer("/cpu:0")
        if not isinstance(variables, Strategy) or variables.copies or variables.updates != "reduced":
            raise ArgumentError(
                "Asynchronous({!r}): pass a strategy that places shared variables, such as "
                "lt.variables.ParameterServer('/cpu:0')".format(variables)
            )
        self.variables = variables

    @property
    def partitioner(self) -> Optional[Callable[..., Any]]:  # type: ignore[override]
        """The partitioner of the strategy that places the variables."""
        return self.variables.partitioner

    def placer(self) -> Placer:
        return self.variables.placer()

    def __repr__(self) -> str:
        return "Asynchronous({!r})".format(self.variables)
