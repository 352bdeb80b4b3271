"""LD213: a learning rate that decays in every step."""
from typing import Dict, Iterator, List, Optional, Set, Tuple

from legacy_towers.doctor.registry import WARNING, check
from legacy_towers.doctor.subject import Evidence, Subject
from legacy_towers.doctor.training.linear import scalar_of
from legacy_towers.graph.op_kinds import applies_gradient
from legacy_towers.graph.variable_writes import variable_of, written
from legacy_towers.graph.walk import ancestors
from legacy_towers.tensor_types import Operation, Tensor

# A rate that has fallen below this share of its first value after so many steps is taken for a mistake.
SHARE, STEPS = 1e-6, 1000
_PASSED = ("Cast", "Identity", "ReadVariableOp", "Floor", "Reshape", "Enter")


@check("LD213", "decay-by-examples", WARNING, """
The learning rate decays by the number of examples, `tf.train.exponential_decay(rate, global_step * batch_size, ...)`,
and its `decay_steps` counts steps: one step is a whole period or more, so that the rate is next to zero after some
hundred steps.

Give both in steps, or both in examples: `exponential_decay(rate, global_step, examples // batch_size, 0.95)`, or
`exponential_decay(rate, global_step * batch_size, examples, 0.95)`.
""")
def decay_by_examples(subject: Subject) -> Iterator[Evidence]:
    updates = [each for each in subject.operations if applies_gradient(each)]
    if subject.observed is None or not updates:
        return
    ran = subject.observed.all_ran()
    updates = [each for each in updates if each in ran]
    counted = _increments(ran)
    rates = _rates(updates)
    for operation in sorted(rates, key=lambda each: str(each.name)):
        base = scalar_of(operation.inputs[0])
        progress = _progress(operation.inputs[1])
        if base is None or not 0.0 < base < 1.0 or progress is None or progress[0] not in counted:
            continue
        variable, factor, multiplied = progress
        periods = factor * counted[variable]
        examples = multiplied * counted[variable]
        if examples > 1.0 and periods >= 1.0 and base ** (periods * STEPS) < SHARE:
            yield subject.evidence(
                operation,
                "{:g} are counted in each step and decay_steps is {:g}: the rate is multiplied by {:.3g} in every "
                "step".format(examples, examples / periods, base ** periods),
                "count decay_steps in examples, too, or pass the global step alone",
            )


def _rates(updates: List[Operation]) -> Set[Operation]:
    """Returns the powers in the learning rates of updates."""
    found: Set[Operation] = set()
    for update in updates:
        names = [each.name for each in update.op_def.input_arg]
        rates = [update.inputs[names.index(name)] for name in ("alpha", "lr") if name in names]
        for rate in rates:
            found |= {each for each in ancestors([rate], graph=update.graph, by_control=False) if each.type == "Pow"}
    return found


def _increments(ran: Set[Operation]) -> Dict[Operation, float]:
    """Returns variable -> what the operations that ran add to it, where it is counted up by constants."""
    found: Dict[Operation, float] = {}
    for operation in ran:
        if operation.type in ("AssignAdd", "AssignAddVariableOp"):
            variable, value = written(operation), scalar_of(operation.inputs[1])
            if variable is not None and value is not None:
                found[variable] = max(value, found.get(variable, 0.0))
    return found


def _progress(tensor: Tensor) -> Optional[Tuple[Operation, float, float]]:
    """Returns (variable, factor, factor without divisions) of a tensor that is a variable times constants."""
    factor = multiplied = 1.0
    while True:
        operation = tensor.op
        if operation.type in ("Mul", "RealDiv", "Div", "FloorDiv"):
            values = [scalar_of(each) for each in operation.inputs]
            if operation.type == "Mul" and values[0] is not None:
                by, tensor = values[0], operation.inputs[1]
            elif values[1]:
                by, tensor = values[1], operation.inputs[0]
            else:
                return None
            factor = factor * by if operation.type == "Mul" else factor / by
            multiplied = multiplied * by if operation.type == "Mul" else multiplied
        elif operation.type in _PASSED:
            variable = variable_of(operation.inputs[0])
            if variable is not None and operation.type in ("Identity", "ReadVariableOp"):
                return variable, factor, multiplied
            tensor = operation.inputs[0]
        else:
            return None
