"""Moving averages of a variable, as operations."""
from typing import Any, Optional


def assign_moving_average(
    variable: Any, value: Any, decay: Any, zero_debias: bool = False, name: Optional[str] = None
) -> Any:
    """Returns the operation that moves `variable` towards `value` by (1 - decay).

    Args:
      variable: a float variable.
      value: a tensor of its shape.
      decay: a float, or a scalar tensor.
      zero_debias: the average is that of the values alone, without the zeros that the variable began with; makes the
        variables biased and local_step beside it.
      name: of the operation, AssignMovingAvg by default.
    """
    # Private: no public name in any version. Tried on 1.15, 2.13, 2.16 and 2.21.
    from tensorflow.python.training import moving_averages

    return moving_averages.assign_moving_average(variable, value, decay, zero_debias=zero_debias, name=name)
