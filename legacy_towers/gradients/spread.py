"""On which device each variable's gradients are summed."""
from typing import Any, Dict, List, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.gradients.base import GradientRow


def spread_by_bytes(sizes: Sequence[int], devices: Sequence[str]) -> List[str]:
    """Deals the sums out over devices: the largest first, each to the device with the fewest bytes so far.

    One device would sum one variable after the other, and hold the others up. `python
    tests/benchmarks/average_gradients.py` times both.

    Args:
      sizes: the bytes of each sum's result.
      devices: device strings; repeated ones count once.

    Returns:
      One device per sum. Ties go to the first device and the first sum, so that the choice is stable from run to run.
    """
    load: Dict[str, int] = {device: 0 for device in devices}
    chosen = [""] * len(sizes)
    for position in sorted(range(len(sizes)), key=lambda index: -sizes[index]):
        device = min(load, key=lambda each: load[each])
        load[device] += sizes[position]
        chosen[position] = device
    return chosen


def row_bytes(row: GradientRow) -> int:
    """Returns the bytes of one tower's gradient; those of rows not known before the graph runs count as nothing.

    Of a sparse gradient these are its own rows, not those of its variable: a large table costs its sum nothing.
    """
    known = [_bytes(gradient) for gradient in row.gradients if gradient is not None]
    sizes = [size for size in known if size is not None]
    if sizes or row.variable is None or any(isinstance(gradient, tf.IndexedSlices) for gradient in row.gradients):
        return max(sizes, default=0)
    return _bytes(row.variable) or 0


def _bytes(tensor: Any) -> Optional[int]:
    """Returns the bytes of a tensor, of IndexedSlices' values, or of a variable; None if unknown."""
    held = tensor.values if isinstance(tensor, tf.IndexedSlices) else tensor
    return int(held.shape.num_elements() * held.dtype.size) if held.shape.is_fully_defined() else None
