"""What a strategy is: it names a device for each new variable; everything else stays on its tower."""
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple

from legacy_towers import devices as device_names
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError

VARIABLE_OPS = frozenset(["Variable", "VariableV2", "VarHandleOp", "AutoReloadVariable"])


class Placer:
    """The choices of a strategy for one graph: `choose(op)` is called once per new variable, in order of creation."""

    def __init__(self, choose: Callable[[Any], str]) -> None:
        self._choose = choose
        self._chosen: Dict[str, str] = {}

    def for_tower(self, device: str) -> Callable[[Any], str]:
        """Returns a device function for `tf.device`.

        What an operation asks for itself (an inner `tf.device`) stands; the rest is filled in: for a variable by the
        strategy, for everything else by the tower's `device`.
        """
        tower = tf.DeviceSpec.from_string(device)

        def device_function(op: Any) -> str:
            asked = tf.DeviceSpec.from_string(op.device or "")
            place = tf.DeviceSpec.from_string(self._once(op)) if op.type in VARIABLE_OPS else tower
            return merged(place, asked).to_string()

        return device_function

    def _once(self, op: Any) -> str:
        # Where a model enters its tower's placer again, TensorFlow asks twice: a variable takes one turn, not two.
        name = str(op.name)
        if name not in self._chosen:
            self._chosen[name] = self._choose(op)
        return self._chosen[name]


class Strategy:
    """Where variables live and how they are updated. A value without state: `placer()` makes the choices for one graph.

    Attributes:
      copies: whether each tower has variables of its own; else all share one set.
      center: with copies, whether the plain-named variables are of no tower; else they are tower 0's own.
      updates: "reduced": the towers' gradients are made one, which is applied to each set of variables; "own": each
        tower applies its own gradients to its own variables; "asynchronous": each tower applies its own gradients to
        the shared variables, whenever it has them.
      partitioner: a function of (shape, dtype) that returns the number of parts per axis, 1 but for the first; None
        leaves variables whole.
    """

    copies = False
    center = False
    updates = "reduced"
    partitioner: Optional[Callable[..., Any]] = None

    def placer(self) -> Placer:
        """Returns a new Placer for one graph."""
        raise NotImplementedError

    def after_step(self, variables: Any, global_step: Any) -> Optional[Any]:
        """Returns an operation to be run after each step, None if there is nothing to do.

        Called under control dependencies on all that the step writes, the global step too, when all optimizers' slots
        have been made.

        Args:
          variables: the towers' `TowerVariables`.
          global_step: the global step variable.
        """
        return None

    def attach(self, variables: Any) -> List[Any]:
        """Adds to the graph what the strategy needs beside the step, and returns its hooks.

        Args:
          variables: the towers' `TowerVariables`.
        """
        return []


def checked_devices(strategy: str, devices: Sequence[str]) -> Tuple[str, ...]:
    """Returns the devices over which a strategy deals variables out.

    Raises:
      ArgumentError: no list, or an empty one; names the strategy.
      DeviceError: one of `devices` is no device string.
    """
    found = tuple(devices) if isinstance(devices, Iterable) and not isinstance(devices, str) else ()
    if not found:
        raise ArgumentError("{}({!r}): give a list of device strings".format(strategy, devices))
    for device in found:
        device_names.canonical(device)
    return found


def merged(outer: Any, inner: Any) -> Any:
    """Returns a tf.DeviceSpec: what `inner` says, and where it says nothing what `outer` does."""
    if inner.device_type and inner.device_type != outer.device_type:
        # An inner "/cpu" under an outer "/gpu:1" means CPU 0, not CPU 1: the index belongs to the type.
        outer = tf.DeviceSpec(job=outer.job, replica=outer.replica, task=outer.task)
    return outer.make_merged_spec(inner)
