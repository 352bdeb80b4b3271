"""tf.contrib.copy_graph: operations and variables of one graph made again in another."""
from typing import Any, Dict, Optional

from legacy_towers.compat import tf

__all__ = ["copy_op_to_graph", "copy_variable_to_graph", "get_copied_op"]


def copy_variable_to_graph(org_instance: Any, to_graph: Any, scope: str = "") -> Any:
    """Returns a variable of `to_graph` like `org_instance`, initialized alike, in the collections of its kind."""
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
    """Returns the tensor or operation of `to_graph` like `org_instance`, with all that it stands on.

    Args:
      variables: variables of `to_graph` that `copy_variable_to_graph` made, to be used and not made again.
    """
    operation = org_instance if isinstance(org_instance, tf.Operation) else org_instance.op
    if isinstance(org_instance, tf.Variable):
        return to_graph.get_tensor_by_name(_name(org_instance.op.name, scope) + ":0")
    known: Dict[str, Any] = {variable.op.name: variable for variable in variables or ()}
    missing = _closure(operation, to_graph, known, scope)
    if missing.node:
        made = {node.name for node in missing.node}
        inputs = {}
        for node in missing.node:
            for source in node.input:
                base = source.lstrip("^").split(":")[0]
                if base not in made and not source.startswith("^"):
                    tensor = source if ":" in source else source + ":0"
                    inputs[source] = to_graph.get_tensor_by_name(_name(tensor, scope))
        with to_graph.as_default(), tf.name_scope(None):
            tf.import_graph_def(missing, input_map=inputs, name=scope or "")
    copied = to_graph.as_graph_element(_name(operation.name, scope), allow_tensor=False)
    if isinstance(org_instance, tf.Operation):
        return copied
    return copied.outputs[org_instance.value_index]


def get_copied_op(org_instance: Any, graph: Any, scope: str = "") -> Any:
    """Returns what `org_instance` was copied to in `graph`."""
    return graph.as_graph_element(_name(org_instance.name, scope), allow_tensor=True, allow_operation=True)


def _closure(operation: Any, to_graph: Any, known: Dict[str, Any], scope: str) -> Any:
    """Returns the GraphDef of the operations that `operation` stands on and that `to_graph` lacks."""
    waiting, seen, nodes = [operation], set(), []
    there = {one.name for one in to_graph.get_operations()}
    while waiting:
        current = waiting.pop()
        if current.name in seen or _name(current.name, scope) in there or _name(current.name, scope) in known:
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
