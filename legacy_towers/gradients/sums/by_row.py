"""What `mean`, `sum` and `tree` have in common: they reduce the towers' gradients variable by variable."""
import difflib
from typing import Any, Dict, List, Optional, Sequence, Union

from legacy_towers import devices as device_names
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, UserError
from legacy_towers.gradients.base import GradientRow, Reduction, ReductionContext, ReductionTraits, TowerGradients
from legacy_towers.gradients.sums.summed import combine_slices, dense_terms, is_sparse
from legacy_towers.gradients.tower_weights import multiply
from legacy_towers.gradients.transforms.missing import check_none_missing
from legacy_towers.tensor_types import Tensor
from legacy_towers.text.names import quoted

COMBINE = ("mean", "sum")
_ON = ("spread", "variable")
SumDevices = Union[str, Sequence[str]]


def check_combine(combine: str) -> None:
    """Raises ArgumentError if `combine` is neither "mean" nor "sum"."""
    if combine not in COMBINE:
        raise ArgumentError("combine is {!r}: allowed are {}".format(combine, quoted(COMBINE)))


def check_not_reduced(reduction: Reduction, gradients: TowerGradients) -> None:
    """Raises ArgumentError if the gradients were reduced to one before `reduction`, which would reduce them."""
    if gradients.reduced:
        raise ArgumentError(
            "{!r} comes after a reduction that has reduced the towers' gradients to one: keep one of the two".format(
                reduction
            )
        )


def _check_on(on: Any) -> None:
    if on in _ON:
        return
    try:
        device_names.check_list([on] if isinstance(on, str) and on else on, "on")
    except UserError:
        near = difflib.get_close_matches(on, _ON, 1) if isinstance(on, str) else []
        raise ArgumentError(
            "on is {!r}: allowed are {}, a device such as '/cpu:0', or a list of devices{}".format(
                on, quoted(_ON), ". Did you mean {!r}?".format(near[0]) if near else ""
            )
        ) from None


class RowReduction(Reduction):
    """Reduces the towers' gradients of each variable on a device chosen for that variable.

    A subclass defines `add`, for dense gradients, and `operation`, the name of what it does. Sparse gradients are
    concatenated.

    Attributes:
      combine: "mean", weighted by `ReductionContext.tower_weights`, or "sum"; a tower of weight 0 is left out of both.
      on: where the result of each variable is computed: "spread", distributed by bytes over the towers' devices;
        "variable", on the variable's device; a device string; or several, to distribute the results over.
    """

    operation = ""
    traits = ReductionTraits(kind="sum", needs_regularization=False)

    def __init__(self, combine: str, on: SumDevices) -> None:
        check_combine(combine)
        _check_on(on)
        self.combine = combine
        self.traits = self.traits._replace(sums=combine == "sum")
        self.on = on if isinstance(on, str) else list(on)

    def add(self, terms: Sequence[Tensor], device: str) -> Tensor:
        """Returns the sum of one or more tensors of one dtype and shape, computed on `device`.

        The sum of float16 or bfloat16 may be float32: the caller casts it.
        """
        raise NotImplementedError

    def update(self, gradients: TowerGradients, state: Any) -> TowerGradients:
        check_not_reduced(self, gradients)
        context = gradients.context
        devices_of_rows = self._devices_of_rows(gradients.rows, context.devices)
        rows = [self._reduced(row, context, device) for row, device in zip(gradients.rows, devices_of_rows)]
        return gradients._replace(rows=rows, reduced=True)

    def _devices_of_rows(self, rows: Sequence[GradientRow], towers: Sequence[str]) -> List[str]:
        if self.on == "variable":
            return [row.device for row in rows]
        if self.on == "spread":
            devices: Sequence[str] = towers
        else:
            devices = [self.on] if isinstance(self.on, str) else self.on
        return balance_by_bytes([row_bytes(row) for row in rows], devices)

    def _reduced(self, row: GradientRow, context: ReductionContext, device: str) -> GradientRow:
        if all(gradient is None for gradient in row.gradients):
            return row._replace(gradients=[None])
        check_none_missing(row, context.towers)
        tower_weights = context.tower_weights
        # A weight that is a tensor can be 0 for the only tower too.
        if len(row.gradients) == 1 and (tower_weights is None or not tf.is_tensor(tower_weights[0])):
            only: Any = row.gradients[0]
            return row._replace(reduced_by="one tower", reduced_on=only.device or None)
        if is_sparse(row.gradients, row.name, context.towers):
            with tf.device(device):
                result = combine_slices(row.gradients, tower_weights, self.combine)
            return row._replace(gradients=[result], reduced_by="concat", reduced_on=device or None)
        terms, factor = dense_terms(row.gradients, tower_weights, self.combine)
        result = self.add(terms, device)
        with tf.device(device):
            result = tf.cast(multiply(result, factor), terms[0].dtype)
            return row._replace(gradients=[result], reduced_by=self.operation, reduced_on=device or None)


def balance_by_bytes(sizes: Sequence[int], devices: Sequence[str]) -> List[str]:
    """Returns a device per sum: the largest sum first, each on the device with the fewest bytes so far.

    On one device the sums would run one after the other. `python tests/benchmarks/average_gradients.py` times both.

    Args:
      sizes: the bytes of each sum's result.
      devices: device strings; repeated ones count once.

    Returns:
      One device per sum. Ties go to the first device and the first sum, so that the choice is the same in every run.

    Source of the method: greedy scheduling, largest first: Graham 1969, "Bounds on Multiprocessing Timing Anomalies".
    """
    load: Dict[str, int] = {device: 0 for device in devices}
    chosen = [""] * len(sizes)
    for position in sorted(range(len(sizes)), key=lambda index: -sizes[index]):
        device = min(load, key=lambda each: load[each])
        load[device] += sizes[position]
        chosen[position] = device
    return chosen


def row_bytes(row: GradientRow) -> int:
    """Returns the bytes of one tower's gradient; 0 for what is not known before the graph runs.

    Of a sparse gradient it counts the rows that the gradient has, not those of its variable.
    """
    known = [_bytes(gradient) for gradient in row.gradients if gradient is not None]
    sizes = [size for size in known if size is not None]
    if sizes or row.variable is None or any(isinstance(gradient, tf.IndexedSlices) for gradient in row.gradients):
        return max(sizes, default=0)
    return _bytes(row.variable) or 0


def _bytes(tensor: Tensor) -> Optional[int]:
    """Returns the bytes of a tensor, of IndexedSlices' values, or of a variable; None if unknown."""
    numbers = tensor.values if isinstance(tensor, tf.IndexedSlices) else tensor
    return int(numbers.shape.num_elements() * numbers.dtype.size) if numbers.shape.is_fully_defined() else None
