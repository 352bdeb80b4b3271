"""The readers of tensors in a graph, and the replacement of their inputs."""
import collections
from typing import Any, Dict, List, Optional, Sequence

from legacy_towers.compat.tf1.contrib.private import graph_editing
from legacy_towers.compat.versions import tf

# Prefixes of operations that are not part of the model: gradients, optimizers, summaries.
_SKIPPED = ("gradients/", "RMSProp/", "Adagrad/", "Const_", "HistogramSummary", "ScalarSummary")
_STEP = "fake_quantization_step"


class Readers:
    """The operations that read each tensor of `graph`; operations that are created later are not included."""

    def __init__(self, graph: Any) -> None:
        self._of_tensor: Dict[str, Dict[str, Any]] = collections.defaultdict(dict)
        for operation in list(graph.get_operations()):
            if not is_skipped(operation.name):
                for tensor in operation.inputs:
                    self._of_tensor[tensor.name][operation.name] = operation

    def of(self, operation: Any) -> List[Any]:
        """Returns the operations that read an output of `operation`, each once."""
        found: Dict[str, Any] = {}
        for tensor in operation.outputs:
            found.update(self._of_tensor.get(tensor.name, {}))
        return list(found.values())


def is_skipped(name: str) -> bool:
    """Returns whether the operation or scope `name` is not part of the model."""
    return name.startswith(_SKIPPED)


def reroute(new: Any, old: Any, readers: Optional[Sequence[Any]] = None) -> int:
    """Replaces the tensor `old` by `new` in the inputs of `readers`, by default all; returns the number of changes."""
    names = None if readers is None else {reader.name for reader in readers}
    changed = 0
    for reader in list(old.consumers()):
        if names is not None and reader.name not in names:
            continue
        for index in [index for index, tensor in enumerate(reader.inputs) if tensor.name == old.name]:
            graph_editing.update_input(reader, index, new)
            changed += 1
    return changed


def step() -> Any:
    """Returns the number of steps of the rewritten graph, including the current one: an int64 scalar."""
    graph = tf.get_default_graph()
    try:
        return graph.get_tensor_by_name(_STEP + "/Identity:0")
    except KeyError:
        pass
    with graph.name_scope(None):
        counter = tf.get_variable(
            _STEP,
            shape=[],
            dtype=tf.int64,
            initializer=tf.zeros_initializer(),
            trainable=False,
            collections=[tf.GraphKeys.GLOBAL_VARIABLES],
            aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA,
        )
        with graph.name_scope(_STEP + "/"):
            return tf.identity(tf.assign_add(counter, 1))
