"""Several optimizers in one step: their gradients must be those of one state of the variables."""
from typing import List, Set

from legacy_towers.graph.gradient_calls import GradientCall
from legacy_towers.graph.variable_writes import variable_of
from legacy_towers.graph.walk import ancestors, descendants
from legacy_towers.replication.refusal import refuse
from legacy_towers.replication.regions import Regions
from legacy_towers.replication.writes import writes_state
from legacy_towers.tensor_types import Operation


def check_one_loss(regions: Regions, scopes: List[str]) -> None:
    """Checks that no optimizer of the step updates what the gradients of another loss are computed from.

    Raises:
      NotReplicable: one does.
    """
    if len(scopes) < 2:
        return
    calls = [regions.calls.by_scope[each] for each in scopes]
    writers = [each for each in regions.needed if writes_state(each) and each.inputs]
    updates = {call.scope: _updates(regions, call, writers) for call in calls}
    for call in calls:
        read = ancestors(call.roots, graph=regions.graph, by_control=False)
        for other in calls:
            if set(other.roots) == set(call.roots):
                continue
            for operation in sorted(updates[other.scope] - updates[call.scope], key=regions.order.__getitem__):
                variable = variable_of(operation.inputs[0])
                if variable is not None and variable in read:
                    refuse("one step has several optimizers: that of {!r} updates {!r}, which {!r} is computed from, "
                           "so that the result depends on their order: run them in steps of their own".format(
                               other.roots[0].name, variable.name, call.roots[0].name), operation)


def _updates(regions: Regions, call: GradientCall, writers: List[Operation]) -> Set[Operation]:
    """Returns the operations that change variables by the gradients of a call."""
    return descendants(call.starts).intersection(writers)
