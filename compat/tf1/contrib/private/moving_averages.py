"""Moving averages of variables."""
from typing import Any, Optional


def assign_moving_average(
    variable: Any, value: Any, decay: Any, zero_debias: bool = False, name: Optional[str] = None
) -> Any:
    """Returns the operation that updates a moving average: variable -= (1 - decay) * (variable - value).

    Args:
      variable: a float variable.
      value: a tensor of the same shape.
      decay: a float or a scalar tensor.
      zero_debias: whether to correct the bias towards the initial zeros (Kingma and Ba, "Adam", section 3); creates the
        variables biased and local_step.
      name: the name of the operation, by default AssignMovingAvg.
    """
    # Private API without public name in any version. Tested on 1.15, 2.13, 2.16 and 2.21.
    from tensorflow.python.training import moving_averages

    return moving_averages.assign_moving_average(variable, value, decay, zero_debias=zero_debias, name=name)
