"""Random numbers that a model draws itself: their generators start again in a session that resumes."""
from typing import List

from legacy_towers.compat import tf
from legacy_towers.graph.op_kinds import GENERATOR_OPS, draws_random_numbers
from legacy_towers.graph.walk import ancestors
from legacy_towers.inputs.base import InputPlan, TowerBatches
from legacy_towers.inputs.position import EXACT
from legacy_towers.tensor_types import Tensor
from legacy_towers.text.names import quoted

# In the reason of the plan's promise if a resumed run has the same examples, but other losses.
LOSSES_DIFFER = "so that its losses differ"


def with_random_model(plan: InputPlan, batches: TowerBatches, losses: List[Tensor]) -> InputPlan:
    """Returns the plan of the input, with the operations of the model that make a resumed run compute other losses."""
    if plan.resume != EXACT:
        return plan
    model = ancestors(losses, stop_at=tf.nest.flatten(batches.per_tower, expand_composites=True))
    # The state of a tf.random.Generator is in a variable, which a checkpoint has.
    drawing = sorted(each.name for each in model if each.type not in GENERATOR_OPS and draws_random_numbers(each))
    if not drawing:
        return plan
    return plan._replace(resume_reason=(
        "{}; but a resumed run draws other random numbers in {} of the model, {}: lt.stateless_dropout draws by the "
        "global step".format(plan.resume_reason, quoted(drawing, most=2), LOSSES_DIFFER)
    ))
