"""Initial values of variables that a script feeds: copies of its graph get made-up ones."""
from typing import Any, Collection, Dict, List, Sequence

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.graph.walk import ancestors
from legacy_towers.tensor_types import Graph, Operation, Tensor


def initializers_of(graph: Graph, operations: Collection[Operation]) -> List[Operation]:
    """Returns the operations that give variables among some operations their initial values.

    They are those of global variables, and the only assignment of a variable that is in no collection. Those of local
    variables are in `tf.local_variables_initializer()`.
    """
    variables = graph.get_collection(tf.GraphKeys.GLOBAL_VARIABLES)
    found = [each.initializer for each in variables if each.op in operations]
    known = {each.op for each in variables + graph.get_collection(tf.GraphKeys.LOCAL_VARIABLES)}
    for operation in operations:
        if operation.type in ("Variable", "VariableV2") and operation not in known:
            assigned = [each for each in operation.outputs[0].consumers() if each.type == "Assign"]
            found += assigned if len(assigned) == 1 else []
    return found


def made_up_values(initializers: Sequence[Operation]) -> Dict[Tensor, Any]:
    """Returns values for the placeholders that initializers need, the same ones in each copy of a graph.

    They are numbers between 0 and 1; for integers, booleans and strings 0 and 1. A dimension that is not known is 1.
    """
    graph = initializers[0].graph if initializers else None
    needed = ancestors(list(initializers), graph=graph) if initializers else ()
    placeholders = sorted(
        (each for each in needed if each.type in ("Placeholder", "PlaceholderV2")), key=lambda each: each.name
    )
    values = {}
    random = np.random.RandomState(1)
    for placeholder in placeholders:
        tensor = placeholder.outputs[0]
        shape = [1 if each is None else each for each in tensor.shape.as_list()] if tensor.shape.rank else []
        numbers = np.asarray(random.uniform(size=shape))
        if not tensor.dtype.is_floating and not tensor.dtype.is_complex:
            numbers = np.round(numbers).astype(np.int64)
        values[tensor] = numbers.astype(bytes if tensor.dtype == tf.string else tensor.dtype.as_numpy_dtype)
    return values
