"""What `collective` and `nccl` have in common: an all-reduce over the towers' devices; each gets the result."""
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence

from legacy_towers import devices as devices_room
from legacy_towers.compat import tf
from legacy_towers.errors import DeviceError, TowerError
from legacy_towers.gradients.add_n import AddN
from legacy_towers.gradients.base import GradientRow, Reduction, Site, TowerGradients
from legacy_towers.gradients.by_row import check_apart, check_combine
from legacy_towers.gradients.group_check import GroupCheck
from legacy_towers.gradients.shapes import is_dense, static_shape
from legacy_towers.gradients.shares import times, wide_sum
from legacy_towers.gradients.summed import dense_terms

NARROW = (tf.float16, tf.bfloat16)


class AllReduce(Reduction):
    """Makes the towers' dense gradients one by an operation in which each of the towers' devices takes part.

    A subclass defines `all_sum` and `carries`, says in `how` what the first does, and may check the devices.
    Gradients that no such operation takes, the sparse and the empty ones, go the way of `mean`.

    Attributes:
      combine: "mean", weighed by `Site.shares`; or "sum", from which a tower of share 0 is left out.
    """

    how = ""
    kind = "layout"
    needs_whole = False

    def __init__(self, combine: str) -> None:
        check_combine(combine)
        self.combine = combine
        self.sums = combine == "sum"

    def carries(self, dtype: Any) -> bool:
        """Returns whether tensors of `dtype` can be summed as they are; float16 and bfloat16 become float32 if not."""
        raise NotImplementedError

    def all_sum(self, rows: Sequence[Sequence[Any]]) -> List[List[Any]]:
        """Returns for each row the sum of its tensors once per tensor, on that tensor's device.

        Args:
          rows: per row one tensor per device, none of them empty, all of one shape and a dtype that is carried.
        """
        raise NotImplementedError

    def check_devices(self, site: Site) -> None:
        """Raises DeviceError where the towers' devices can't be one group."""

    def update(self, gradients: TowerGradients, state: Any) -> TowerGradients:
        check_apart(self, gradients)
        site = gradients.site
        groups = self._towers_by_device(site)
        taken = [position for position, row in enumerate(gradients.rows) if len(groups) > 1 and _can_be_sent(row)]
        other = [position for position in range(len(gradients.rows)) if position not in set(taken)]
        rows: Dict[int, GradientRow] = {}
        plain = AddN(self.combine, "spread")
        rest = plain.update(gradients._replace(rows=[gradients.rows[position] for position in other]), None)
        rows.update(zip(other, rest.rows))
        rows.update(zip(taken, self._reduced([gradients.rows[position] for position in taken], groups, site)))
        return gradients._replace(rows=[rows[position] for position in range(len(rows))], reduced=True)

    def roundings(self, towers: int) -> float:
        # They add up in the small dtype itself.
        return (towers + 5) / 2 + 1

    def hooks(self, site: Site) -> List[Any]:
        devices = list(self._towers_by_device(site))
        return [GroupCheck(devices, repr(self))] if len(devices) > 1 else []

    def __repr__(self) -> str:
        return "{}({})".format(self.how, "" if self.combine == "mean" else "combine={!r}".format(self.combine))

    def _towers_by_device(self, site: Site) -> Dict[str, List[int]]:
        """Returns the towers of each device, in order: two towers on one device are one member of the group."""
        groups: Dict[str, List[int]] = {}
        spelled: Dict[str, str] = {}
        for position, device in enumerate(site.devices):
            full = devices_room.canonical(device)
            spec = tf.DeviceSpec.from_string(full)
            if len(site.devices) > 1 and (spec.device_type is None or spec.device_index is None):
                raise DeviceError(
                    "{!r} needs the devices of towers by type and number, such as '/gpu:0'; that of tower {} is "
                    "{!r}".format(self, site.towers[position], device)
                )
            groups.setdefault(spelled.setdefault(full, device), []).append(position)
        if len(site.devices) > 1:
            self.check_devices(site)
        return groups

    def _reduced(self, rows: Sequence[GradientRow], groups: Dict[str, List[int]], site: Site) -> List[GradientRow]:
        devices = list(groups)
        members = [[self._member(row, device, groups[device], site) for device in devices] for row in rows]
        sums = self.all_sum([[member.sent for member in of_row] for of_row in members])
        how = self.how if len(groups) == len(site.devices) else "add_n, {}".format(self.how)
        position = {tower: index for index, towers in enumerate(groups.values()) for tower in towers}
        # A group of which one member is not run waits for ever. So each result that can be fetched needs the whole one.
        result = []
        for row, of_row, summed in zip(rows, members, sums):
            if not site.copied:
                nearest = _nearest(row.device, devices)
                with tf.device(devices[nearest]), tf.control_dependencies(summed):
                    made = of_row[nearest].received(summed[nearest])
                result.append(row._replace(gradients=[made], how=how, where=devices[nearest]))
                continue
            whole = tf.group(*summed)
            received = []
            for device, member, each in zip(devices, of_row, summed):
                with tf.device(device), tf.control_dependencies([whole]):
                    received.append(member.received(each))
            of_towers: List[Optional[Any]] = [received[position[tower]] for tower in range(len(site.devices))]
            result.append(row._replace(gradients=of_towers, how=how, where=None))
        return result

    def _member(self, row: GradientRow, device: str, towers: Sequence[int], site: Site) -> "_Member":
        gradients = [row.gradients[tower] for tower in towers]
        with tf.device(device):
            if site.shares is None:
                factor = 1.0 / len(site.devices) if self.combine == "mean" else 1.0
                terms = gradients
            else:
                terms, factor = dense_terms(gradients, [site.shares[tower] for tower in towers], self.combine)
            # Scaled before they are summed, so that a mean of float16 is finite where each of its gradients is.
            terms = [times(term, factor) for term in terms] or [tf.zeros_like(gradients[0])]
            return self._to_send(tf.identity(tf.cast(wide_sum(terms), terms[0].dtype)), row)

    def _to_send(self, tensor: Any, row: GradientRow) -> "_Member":
        dtype, shape = tensor.dtype, static_shape(row)
        if not self.carries(dtype):
            if dtype not in NARROW:
                raise TowerError("{!r} can't sum {!r}: it does not take {}".format(self, row.name, dtype.name))
            tensor = tf.cast(tensor, tf.float32)
        if shape.is_fully_defined():
            return _Member(tensor, lambda summed: _with_shape(tf.cast(tf.identity(summed), dtype), shape))
        # It can turn out to be empty, and these operations take nothing empty: one more element goes with it.
        padded = tf.concat([tf.reshape(tensor, [-1]), tf.zeros([1], tensor.dtype)], axis=0)

        def received(summed: Any) -> Any:
            return _with_shape(tf.cast(tf.reshape(summed[:-1], tf.shape(tensor)), dtype), shape)

        return _Member(padded, received)


class _Member(NamedTuple):
    """What one device sends, and what it makes of the sum that it receives."""

    sent: Any
    received: Callable[[Any], Any]


def _with_shape(tensor: Any, shape: Any) -> Any:
    tensor.set_shape(shape)
    return tensor


def _can_be_sent(row: GradientRow) -> bool:
    return is_dense(row) and static_shape(row).num_elements() != 0


def _nearest(device: str, members: Sequence[str]) -> int:
    """Returns which of the group's devices is that of the variable, or is in its process; else the first."""
    asked = devices_room.canonical(device)
    for index, member in enumerate(members):
        if asked and (devices_room.matches(asked, member) or devices_room.matches(member, asked)):
            return index
    task = tf.DeviceSpec.from_string(asked)
    for index, member in enumerate(members):
        spec = tf.DeviceSpec.from_string(member)
        if (spec.job, spec.replica, spec.task) == (task.job, task.replica, task.task):
            return index
    return 0
