"""The interface of strategies: a strategy chooses a device for each new variable; other ops stay on their tower."""
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple

from legacy_towers import devices as device_names
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.graph.op_kinds import VARIABLE_OPS
from legacy_towers.tensor_types import Operation, SessionRunHook, Variable


class Placer:
    """The choices of a strategy in one graph: `choose(op)` is called once per new variable, in order of creation."""

    def __init__(self, choose: Callable[[Any], str]) -> None:
        self._choose = choose
        self._chosen: Dict[str, str] = {}

    def for_tower(self, device: str) -> Callable[[Operation], str]:
        """Returns a device function for `tf.device`.

        An operation keeps what an inner `tf.device` requests; the rest comes from the strategy for a variable, and is
        the tower's `device` for all other operations.
        """
        tower = tf.DeviceSpec.from_string(device)

        def device_function(op: Operation) -> str:
            requested = tf.DeviceSpec.from_string(op.device or "")
            default = tf.DeviceSpec.from_string(self._device_of(op)) if op.type in VARIABLE_OPS else tower
            return merged(default, requested).to_string()

        return device_function

    def _device_of(self, op: Operation) -> str:
        # If a model enters its tower's placer again, TensorFlow calls twice: a variable is placed once.
        name = str(op.name)
        if name not in self._chosen:
            self._chosen[name] = self._choose(op)
        return self._chosen[name]


class OwnDevicePlacer(Placer):
    """Places each tower's variables, like all its other operations, on the tower's device."""

    def __init__(self) -> None:
        pass

    def for_tower(self, device: str) -> Callable[[Operation], str]:
        return Placer(lambda op: device).for_tower(device)


class Strategy:
    """Base class of strategies: where variables live and how they are updated.

    A strategy has no state: `placer()` returns an object with the choices for one graph.

    Attributes:
      copies: whether each tower has its own copy of the variables; else all share one set.
      center: with copies, whether the plain-named variables belong to no tower; else they are tower 0's own.
      updates: "reduced": the towers' gradients are reduced to one, which is applied to each set of variables; "own":
        each tower applies its own gradients to its own copy; "asynchronous": each tower applies its own gradients to
        the shared variables, as soon as it has them.
      partitioner: a function of (shape, dtype) that returns the number of parts per axis, 1 for all but the first;
        None: variables are not partitioned.
    """

    copies = False
    center = False
    updates = "reduced"
    partitioner: Optional[Callable[..., Any]] = None

    def placer(self) -> Placer:
        """Returns a new Placer for one graph."""
        raise NotImplementedError

    def after_step(self, variables: Any, global_step: Variable) -> Optional[Operation]:
        """Returns an operation that runs after each step; None if there is nothing to do.

        Called under control dependencies on everything that the step writes, including the global step, when all
        optimizers' slots exist.

        Args:
          variables: the towers' `TowerVariables`.
          global_step: the global step variable.
        """
        return None

    def attach(self, variables: Any) -> List[SessionRunHook]:
        """Adds what the strategy needs to the graph of a step, and returns its session hooks.

        Args:
          variables: the towers' `TowerVariables`.
        """
        return []


def checked_devices(strategy: str, devices: Sequence[str]) -> Tuple[str, ...]:
    """Returns the devices that a strategy distributes variables over, as a tuple.

    Raises:
      ArgumentError: `devices` is not a list, or is empty; names the strategy.
      DeviceError: one of `devices` is not a device string.
    """
    found = tuple(devices) if isinstance(devices, Iterable) and not isinstance(devices, str) else ()
    if not found:
        raise ArgumentError("{}({!r}): pass a list of device strings".format(strategy, devices))
    for device in found:
        device_names.canonical(device)
    return found


def merged(outer: Any, inner: Any) -> Any:
    """Returns the tf.DeviceSpec with the fields of `inner`, and with those of `outer` where `inner` has none."""
    if inner.device_type and inner.device_type != outer.device_type:
        # An inner "/cpu" under an outer "/gpu:1" means CPU 0, not CPU 1: the index belongs to the type.
        outer = tf.DeviceSpec(job=outer.job, replica=outer.replica, task=outer.task)
    return outer.make_merged_spec(inner)
