"""Creates learning-rate schedules from specs such as "cosine:0.1,steps=1000,warmup=100"."""
from typing import Any, Callable, Dict

from legacy_towers.schedules import decays
from legacy_towers.specs.schedules import parse_schedule
from legacy_towers.tensor_types import Tensor, Variable

MAKERS: Dict[str, Callable[..., Tensor]] = {
    "constant": decays.constant,
    "piecewise": decays.piecewise,
    "step": decays.step_decay,
    "exponential": decays.exponential,
    "polynomial": decays.polynomial,
    "cosine": decays.cosine,
    "cosine_restarts": decays.cosine_restarts,
    "inverse_sqrt": decays.inverse_sqrt,
}


def make_schedule(spec: Any, step: Variable, towers: int = 1) -> Tensor:
    """Creates the learning rate that a spec describes, a float32 scalar tensor.

    `scale=towers` in a spec multiplies its rates by the number of towers, the linear scaling rule of Goyal et al.,
    "Accurate, Large Minibatch SGD" (2017), for a batch that grows with the towers. `warmup_from` is not multiplied:
    their gradual warm-up begins at the rate of one tower, as in "constant:0.1,warmup=500,warmup_from=0.1,scale=towers".

    Args:
      spec: a name of `legacy_towers.specs.schedules` with its options.
      step: the global step.
      towers: the number of towers.

    Raises:
      ArgumentError: the text is not the spec of a schedule.
    """
    parsed = parse_schedule(spec)
    return MAKERS[parsed.name](step, **parsed.scaled(towers))
