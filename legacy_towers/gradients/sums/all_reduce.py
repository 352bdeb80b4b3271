"""What `collective` and `nccl` have in common: an all-reduce, after which each tower's device has the result."""
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence

from legacy_towers import devices as device_names
from legacy_towers.compat import tf
from legacy_towers.compat.versions.session import config_of
from legacy_towers.errors import ArgumentError, DeviceError, TowerError
from legacy_towers.gradients.base import (
    GradientRow,
    Reduction,
    ReductionContext,
    ReductionTraits,
    TowerGradients,
    is_dense,
    static_shape,
)
from legacy_towers.gradients.sums.add_n import AddN
from legacy_towers.gradients.sums.by_row import check_combine, check_not_reduced
from legacy_towers.gradients.sums.summed import dense_terms
from legacy_towers.gradients.tower_weights import multiply, upcast_sum
from legacy_towers.tensor_types import Coordinator, DType, Session, SessionRunHook, Tensor
from legacy_towers.text.names import quoted

NARROW = (tf.float16, tf.bfloat16)


class AllReduce(Reduction):
    """Reduces the towers' dense gradients by an operation in which each of the towers' devices takes part.

    A subclass defines `all_sum`, `supports` and `operation`, the name of what `all_sum` does, and may define
    `check_devices`. Sparse and empty gradients, which no such operation takes, are reduced as by `mean`.

    Attributes:
      combine: "mean", weighted by `ReductionContext.tower_weights`, or "sum"; a tower of weight 0 is left out of both.
    """

    operation = ""
    traits = ReductionTraits(kind="layout", needs_regularization=False)

    def __init__(self, combine: str) -> None:
        check_combine(combine)
        self.combine = combine
        self.traits = self.traits._replace(sums=combine == "sum")

    def supports(self, dtype: DType) -> bool:
        """Returns whether tensors of `dtype` can be summed as they are; if not, 16 bits are summed in float32."""
        raise NotImplementedError

    def all_sum(self, rows: Sequence[Sequence[Tensor]]) -> List[List[Tensor]]:
        """Returns, for each row, the sum of its tensors once per tensor, on that tensor's device.

        Args:
          rows: per row one tensor per device; all of one row have the same shape, with elements, and a supported dtype.
        """
        raise NotImplementedError

    def check_devices(self, context: ReductionContext) -> None:
        """Raises DeviceError if the towers' devices can't form one group."""

    def update(self, gradients: TowerGradients, state: Any) -> TowerGradients:
        check_not_reduced(self, gradients)
        context = gradients.context
        groups = self._towers_by_device(context)
        all_reduced = [
            position for position, row in enumerate(gradients.rows) if len(groups) > 1 and _can_be_sent(row)
        ]
        others = [position for position in range(len(gradients.rows)) if position not in set(all_reduced)]
        rows: Dict[int, GradientRow] = {}
        other_gradients = gradients._replace(rows=[gradients.rows[position] for position in others])
        rest = AddN(self.combine, "spread").update(other_gradients, None)
        rows.update(zip(others, rest.rows))
        reduced = self._reduced([gradients.rows[position] for position in all_reduced], groups, context)
        rows.update(zip(all_reduced, reduced))
        return gradients._replace(rows=[rows[position] for position in range(len(rows))], reduced=True)

    def roundings(self, towers: int) -> float:
        # These operations sum in the small dtype itself.
        return (towers + 5) / 2 + 1

    def hooks(self, context: ReductionContext) -> List[SessionRunHook]:
        devices = list(self._towers_by_device(context))
        return [GroupCheck(devices, repr(self))] if len(devices) > 1 else []

    def __repr__(self) -> str:
        return "{}({})".format(self.operation, "" if self.combine == "mean" else "combine={!r}".format(self.combine))

    def _towers_by_device(self, context: ReductionContext) -> Dict[str, List[int]]:
        """Returns the towers of each device, in order: two towers on one device are one member of the group."""
        groups: Dict[str, List[int]] = {}
        spelled: Dict[str, str] = {}
        for position, device in enumerate(context.devices):
            full = device_names.canonical(device)
            spec = tf.DeviceSpec.from_string(full)
            if len(context.devices) > 1 and (spec.device_type is None or spec.device_index is None):
                raise DeviceError(
                    "{!r} needs the towers' devices with type and index, such as '/gpu:0'; that of tower {} is "
                    "{!r}".format(self, context.towers[position], device)
                )
            groups.setdefault(spelled.setdefault(full, device), []).append(position)
        if len(context.devices) > 1:
            self.check_devices(context)
        return groups

    def _reduced(
        self, rows: Sequence[GradientRow], groups: Dict[str, List[int]], context: ReductionContext
    ) -> List[GradientRow]:
        devices = list(groups)
        members = [[self._member(row, device, groups[device], context) for device in devices] for row in rows]
        sums = self.all_sum([[member.sent for member in of_row] for of_row in members])
        reduced_by = self.operation if len(groups) == len(context.devices) else "add_n, {}".format(self.operation)
        position = {tower: index for index, towers in enumerate(groups.values()) for tower in towers}
        # A group never finishes if one member does not run, so each result that can be fetched depends on all members.
        result = []
        for row, of_row, summed in zip(rows, members, sums):
            if not context.has_copies:
                nearest = _nearest(row.device, devices)
                with tf.device(devices[nearest]), tf.control_dependencies(summed):
                    result_on_device = of_row[nearest].received(summed[nearest])
                result.append(
                    row._replace(gradients=[result_on_device], reduced_by=reduced_by, reduced_on=devices[nearest])
                )
                continue
            whole = tf.group(*summed)
            received = []
            for device, member, each in zip(devices, of_row, summed):
                with tf.device(device), tf.control_dependencies([whole]):
                    received.append(member.received(each))
            of_towers: List[Optional[Any]] = [received[position[tower]] for tower in range(len(context.devices))]
            result.append(row._replace(gradients=of_towers, reduced_by=reduced_by, reduced_on=None))
        return result

    def _member(self, row: GradientRow, device: str, towers: Sequence[int], context: ReductionContext) -> "_Member":
        gradients = [row.gradients[tower] for tower in towers]
        with tf.device(device):
            if context.tower_weights is None:
                factor = 1.0 / len(context.devices) if self.combine == "mean" else 1.0
                terms = gradients
            else:
                terms, factor = dense_terms(gradients, [context.tower_weights[tower] for tower in towers], self.combine)
            # Scaled before the sum, so that a mean in float16 is finite where each of its gradients is.
            terms = [multiply(term, factor) for term in terms] or [tf.zeros_like(gradients[0])]
            return self._to_send(tf.identity(tf.cast(upcast_sum(terms), terms[0].dtype)), row)

    def _to_send(self, tensor: Tensor, row: GradientRow) -> "_Member":
        dtype, shape = tensor.dtype, static_shape(row)
        if not self.supports(dtype):
            if dtype not in NARROW:
                raise TowerError("{!r} can't sum {!r}: it does not take {}".format(self, row.name, dtype.name))
            tensor = tf.cast(tensor, tf.float32)
        if shape.is_fully_defined():
            return _Member(tensor, lambda summed: _with_shape(tf.cast(tf.identity(summed), dtype), shape))
        # It can be empty in a step, and these operations take no empty tensors: one element is appended.
        padded = tf.concat([tf.reshape(tensor, [-1]), tf.zeros([1], tensor.dtype)], axis=0)

        def received(summed: Any) -> Any:
            return _with_shape(tf.cast(tf.reshape(summed[:-1], tf.shape(tensor)), dtype), shape)

        return _Member(padded, received)


class _Member(NamedTuple):
    """What one device sends, and the function that makes the result from the sum that it receives."""

    sent: Any
    received: Callable[[Any], Any]


def _with_shape(tensor: Tensor, shape: Any) -> Any:
    tensor.set_shape(shape)
    return tensor


def _can_be_sent(row: GradientRow) -> bool:
    return is_dense(row) and static_shape(row).num_elements() != 0


def _nearest(device: str, members: Sequence[str]) -> int:
    """Returns the index of the member that is the variable's device, or is in its process; else 0."""
    asked = device_names.canonical(device)
    for index, member in enumerate(members):
        if asked and (device_names.matches(asked, member) or device_names.matches(member, asked)):
            return index
    task = tf.DeviceSpec.from_string(asked)
    for index, member in enumerate(members):
        spec = tf.DeviceSpec.from_string(member)
        if (spec.job, spec.replica, spec.task) == (task.job, task.replica, task.task):
            return index
    return 0


def check_group_in(session: Session, devices: Sequence[str], reduction: str) -> None:
    """Raises an error if an all-reduce over `devices` can't finish in `session`.

    An all-reduce waits until all devices of its group take part. In one process that fails only if a device does not
    exist: soft placement would put two members on one device. (Without soft placement TensorFlow rejects the graph.)
    With several processes, each server must know the group leader.

    Args:
      reduction: the reduction that needs the group, for messages, such as "collective()".

    Raises:
      DeviceError: the session lacks a device, or two device strings are the same device.
      ArgumentError: the devices are in several processes, and the session's configuration names no leader.
    """
    session_names = device_names.session_devices(session)
    device_of_name: Dict[str, str] = {}
    for device in devices:
        matching = [name for name in session_names if device_names.matches(device, name)]
        if not matching:
            raise DeviceError(
                "{} reduces over {}, and this session has no {!r} (it has {}): soft placement would put two towers on "
                "one device, and the step would never finish. Create the session with the device, as by "
                "lt.session_config(logical_cpus=N) for CPUs, or build the step for the devices that exist".format(
                    reduction, quoted(devices), device, quoted(map(device_names.short_name, session_names))
                )
            )
        for name in matching:
            if name in device_of_name:
                raise DeviceError(
                    "{} reduces over {!r} and {!r}, which are one device in this session, {}: write it in the same way "
                    "for all towers".format(reduction, device_of_name[name], device, device_names.short_name(name))
                )
            device_of_name[name] = device
    _check_leader(session, session_names, sorted({_task(name) for name in device_of_name}), reduction)


def _check_leader(session: Session, session_names: Sequence[str], tasks: List[str], reduction: str) -> None:
    config = config_of(session)
    if len(tasks) < 2 or config is None:
        return
    leader = config.experimental.collective_group_leader
    if leader not in {_task(name) for name in session_names}:
        raise ArgumentError(
            "{} reduces over the devices of {}, and {}: the step would never finish. Create every tf.train.Server and "
            "this session with config=lt.session_config(collective_leader={!r})".format(
                reduction,
                quoted(tasks),
                "the session's leader, {!r}, is not a task of its cluster".format(leader)
                if leader
                else "the session's configuration names no leader",
                tasks[0],
            )
        )


def _task(device: str) -> str:
    return device.rpartition("/device:")[0]


class GroupCheck(tf.train.SessionRunHook):
    """Checks each new session by `check_group_in` before its first step."""

    def __init__(self, devices: Sequence[str], reduction: str) -> None:
        self._devices = list(devices)
        self._reduction = reduction

    def after_create_session(self, session: Session, coord: Coordinator) -> None:
        check_group_in(session, self._devices, self._reduction)
