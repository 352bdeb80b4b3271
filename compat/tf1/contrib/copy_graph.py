"""tf.contrib.copy_graph: copies operations and variables from one graph to another."""
from typing import Any, Dict, Optional

from legacy_towers.compat.versions import tf

__all__ = ["copy_op_to_graph", "copy_variable_to_graph", "get_copied_op"]


def copy_variable_to_graph(org_instance: Any, to_graph: Any, scope: str = "") -> Any:
    """Copies a variable, with its initial value and collections, to `to_graph`.

    Args:
      org_instance: the tf.Variable to copy.
      to_graph: the tf.Graph that gets the copy.
      scope: the prefix of the copy's name and of the names of collections that are not in tf.GraphKeys.

    Raises:
      TypeError: `org_instance` is not a variable.
    """
    if not isinstance(org_instance, tf.Variable):
        raise TypeError("{} is not a Variable".format(org_instance))
    name = _name(org_instance.op.name, scope)
    with to_graph.as_default():
        initial = copy_op_to_graph(org_instance.initial_value, to_graph, [], scope)
        graph = org_instance.graph
        keys = [
            key
            for key in graph.get_all_collection_keys()
            if any(one is org_instance for one in graph.get_collection(key))
        ]
        collections = [
            "{}/{}".format(scope, key) if scope and not hasattr(tf.GraphKeys, key.upper()) else key for key in keys
        ]
        trainable = tf.GraphKeys.TRAINABLE_VARIABLES in collections
        return tf.Variable(initial, trainable, name=name, collections=collections, validate_shape=False)


def copy_op_to_graph(org_instance: Any, to_graph: Any, variables: Any, scope: str = "") -> Any:
    """Copies a tensor or operation, with all operations that it depends on, to `to_graph`.

    Args:
      org_instance: the tensor, operation or variable to copy.
      to_graph: the tf.Graph that gets the copy.
      variables: variables of `to_graph` that `copy_variable_to_graph` created; they are not copied again.
      scope: the prefix of the names of the copies.

    Returns:
      The copy of `org_instance`.
    """
    operation = org_instance if isinstance(org_instance, tf.Operation) else org_instance.op
    if isinstance(org_instance, tf.Variable):
        return to_graph.get_tensor_by_name(_name(org_instance.op.name, scope) + ":0")
    known: Dict[str, Any] = {variable.op.name: variable for variable in variables or ()}
    missing = _closure(operation, to_graph, known, scope)
    if missing.node:
        copied_names = {node.name for node in missing.node}
        inputs = {}
        for node in missing.node:
            for source in node.input:
                base = source.lstrip("^").split(":")[0]
                if base not in copied_names and not source.startswith("^"):
                    tensor = source if ":" in source else source + ":0"
                    inputs[source] = to_graph.get_tensor_by_name(_name(tensor, scope))
        with to_graph.as_default(), tf.name_scope(None):
            tf.import_graph_def(missing, input_map=inputs, name=scope or "")
    copied = to_graph.as_graph_element(_name(operation.name, scope), allow_tensor=False)
    if isinstance(org_instance, tf.Operation):
        return copied
    return copied.outputs[org_instance.value_index]


def get_copied_op(org_instance: Any, graph: Any, scope: str = "") -> Any:
    """Returns the copy of `org_instance` in `graph`."""
    return graph.as_graph_element(_name(org_instance.name, scope), allow_tensor=True, allow_operation=True)


def _closure(operation: Any, to_graph: Any, known: Dict[str, Any], scope: str) -> Any:
    """Returns the GraphDef of `operation` and the operations that it depends on, without those that `to_graph` has."""
    waiting, seen, nodes = [operation], set(), []
    existing = {one.name for one in to_graph.get_operations()}
    while waiting:
        current = waiting.pop()
        if current.name in seen or _name(current.name, scope) in existing or _name(current.name, scope) in known:
            continue
        seen.add(current.name)
        nodes.append(current.node_def)
        waiting.extend(tensor.op for tensor in current.inputs)
        waiting.extend(current.control_inputs)
    definition = tf.GraphDef()
    definition.versions.CopyFrom(operation.graph.as_graph_def().versions)
    definition.node.extend(nodes)
    return definition


def _name(name: str, scope: Optional[str]) -> str:
    return "{}/{}".format(scope, name) if scope else name
