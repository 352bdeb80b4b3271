"""By which factors the losses of towers count in an update."""
import re
from typing import Dict, List, NamedTuple, Optional

from legacy_towers.doctor.statements import statement_of
from legacy_towers.doctor.training.linear import Part, number_of_elements
from legacy_towers.doctor.training.model import Contribution, Training
from legacy_towers.graph.variable_writes import Update
from legacy_towers.tensor_types import Operation

_TOLERANCE = 1e-4
_NUMBER = r"(?:\d+\.?\d*|\.\d+)(?:e-?\d+)?(?!\w)"
_LITERAL = re.compile(r"(?<![\w.])" + _NUMBER)
# "/ 3", "/= 3.0", "/ float(3)", "tf.divide(loss, 3)"
_DIVISOR = re.compile(
    r"(?:/=?|\b(?:div|divide|truediv)\(.*,)\s*(?:(?:float|tf\.to_float|np\.float32)\(\s*)?(" + _NUMBER + ")"
)


class Scale(NamedTuple):
    """How the loss of one tower counts in an update.

    Attributes:
      tower: the name of the tower.
      loss: the largest of its losses over examples.
      of_loss: the factor of that as a mean over examples, before it is differentiated.
      of_gradient: the factor of its gradient.
      contribution: where the gradient comes from.
    """

    tower: str
    loss: Part
    of_loss: float
    of_gradient: float
    contribution: Contribution


def scales(training: Training, update: Update) -> Optional[List[Scale]]:
    """Returns how each tower counts in an update; None unless each does once, by a known factor."""
    contributions = training.contributions(update)
    found: Dict[str, Scale] = {}
    for contribution in contributions or ():
        for tower, loss in _main_losses(training, contribution).items():
            size = mean_factor(loss)
            if tower in found or contribution.part.factor is None or size is None:
                return None
            found[tower] = Scale(tower, loss, size, contribution.part.factor, contribution)
    if not contributions or len(training.towers) < 2 or sorted(found) != training.towers:
        return None
    return [found[tower] for tower in training.towers]


def mean_factor(loss: Part) -> Optional[float]:
    """Returns the factor of a loss as a mean: the sum of 8 values times 1/16 is their mean times 1/2."""
    operation = loss.tensor.op
    if operation.type != "Sum" or loss.factor is None:
        return loss.factor
    if operation.inputs[0].shape.ndims != 1:
        return None
    count = number_of_elements(operation.inputs[0])
    return None if count is None else loss.factor * count


def about(value: Optional[float], expected: float) -> bool:
    """Returns whether a factor is `expected` but for rounding."""
    return value is not None and abs(value - expected) <= _TOLERANCE * abs(expected)


def is_of_formula(scaler: Operation, number: int) -> bool:
    """Returns whether a factor of 1 / `number` may be part of a formula, such as the half in a mean square.

    It is not if the statement that made the operation has no such number: `loss / num_towers`.
    """
    statement = statement_of(scaler)
    literals = [float(each) for each in _LITERAL.findall(statement)]
    return not statement or any(about(each, float(number)) or about(each, 1.0 / number) for each in literals)


def divides_by_literal(scaler: Operation, number: int) -> bool:
    """Returns whether a statement divides by a literal `number`: `loss / 3`, `loss / float(3)`."""
    return any(about(float(each), float(number)) for each in _DIVISOR.findall(statement_of(scaler)))


def _main_losses(training: Training, contribution: Contribution) -> Dict[str, Part]:
    found: Dict[str, Part] = {}
    for loss in training.data_losses(contribution.call):
        tower = training.tower_of(loss.tensor.op)
        if tower is not None:
            largest = found.get(tower)
            if largest is None or abs(mean_factor(loss) or 0.0) > abs(mean_factor(largest) or 0.0):
                found[tower] = loss
    return found
