"""On which device each variable's gradients are summed."""
from typing import Any, Dict, List, Sequence

from legacy_towers.gradients.pairing import VariableGradients


def spread_by_bytes(rows: Sequence[VariableGradients], devices: Sequence[str]) -> List[str]:
    """Deals the sums out over devices: the largest first, each to the device with the fewest bytes so far.

    One device would sum one variable after the other, and hold the others up. `python
    tests/benchmarks/average_gradients.py` times both.

    Args:
      rows: the variables with their gradients; unknown sizes count as nothing.
      devices: device strings; repeated ones count once.

    Returns:
      One device per row. Ties go to the first device and the first row, so that the choice is stable from run to run.
    """
    load: Dict[str, int] = {device: 0 for device in devices}
    chosen = [""] * len(rows)
    for position in sorted(range(len(rows)), key=lambda index: -_bytes(rows[index].variable)):
        device = min(load, key=lambda each: load[each])
        load[device] += _bytes(rows[position].variable)
        chosen[position] = device
    return chosen


def _bytes(variable: Any) -> int:
    elements = variable.shape.num_elements() if variable.shape.is_fully_defined() else 0
    return int(elements * variable.dtype.base_dtype.size)
