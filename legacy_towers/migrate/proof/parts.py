"""The part of a graph that a pipeline is in: copies of it are made and run faster than those of the whole model."""
import collections.abc
from typing import Any, Dict, Iterable, List, Optional, Set, Tuple

from legacy_towers.compat import tf
from legacy_towers.migrate.conversion.queue_graph import QueueGraph
from legacy_towers.migrate.conversion.roots import Root, find_roots, stores_of
from legacy_towers.migrate.proof.sides import Shape
from legacy_towers.tensor_types import Graph

_COLOCATED = b"loc:@"
_READ = "prove_reads"


class Parts:
    """Finds the parts of a graph that its pipelines are in.

    Args:
      graph: the graph of a MetaGraph, not converted.
      meta: that MetaGraphDef.
      shapes: what is read of its pipelines.
    """

    def __init__(self, graph: Graph, meta: Any, shapes: Iterable[Shape]) -> None:
        self._graph, self._meta = graph, meta
        self._shapes = {shape.name: shape for shape in shapes}
        self._nodes = {node.name: node for node in meta.graph_def.node}
        queues = QueueGraph(graph)
        self._roots = [(root, stores_of(root, queues)) for root in find_roots(queues)]
        self._protos = _protos(graph, meta)
        self._together = _names_together(graph, meta, self._protos)

    def of(self, name: str) -> Any:
        """Returns a MetaGraphDef of a pipeline, and of those that share a queue or a reader with it.

        What reads from them is an operation of its own there, in place of the model.
        """
        shapes = [self._shapes[root.name] for root in self._sharing(name)]
        read = {component.name for shape in shapes for each in shape.reads for component in each}
        names = [name for shape in shapes for name in shape.read_names + shape.initializers]
        names += [
            tensor.split(":")[0] for shape in shapes for each in shape.reads for component in each
            for tensor in component.tensors
        ]
        return self._only(self._needed(names), sorted(read))

    def _sharing(self, name: str) -> List[Root]:
        found: List[Root] = []
        stores: Set[Any] = set().union(*(used for root, used in self._roots if root.name == name))
        before = -1
        while len(found) != before:
            before = len(found)
            found = [root for root, used in self._roots if used & stores]
            stores = stores.union(*(used for root, used in self._roots if root in found))
        return found

    def _needed(self, names: Iterable[str]) -> Set[str]:
        """Returns the names of the operations that some need, and of those that are used together with these."""
        needed: Set[str] = set()
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            if name in needed:
                continue
            needed.add(name)
            waiting += [_operation_name(each) for each in self._nodes[name].input]
            waiting += self._together.get(name, ())
        return needed

    def _only(self, needed: Set[str], read: Iterable[str]) -> Any:
        part = tf.MetaGraphDef()
        part.meta_info_def.CopyFrom(self._meta.meta_info_def)
        part.graph_def.versions.CopyFrom(self._meta.graph_def.versions)
        part.graph_def.library.CopyFrom(self._meta.graph_def.library)
        for node in self._meta.graph_def.node:
            if node.name in needed:
                copied = part.graph_def.node.add()
                copied.CopyFrom(node)
                if "_class" in copied.attr:
                    kept = [
                        each for each in copied.attr["_class"].list.s
                        if not each.startswith(_COLOCATED) or each[len(_COLOCATED):].decode() in needed
                    ]
                    copied.attr["_class"].list.s[:] = kept
        for number, name in enumerate(read):
            tensor = self._graph.get_tensor_by_name(name)
            node = part.graph_def.node.add(
                name="{}_{}".format(_READ, number), op="Identity", input=[name]
            )
            node.attr["T"].type = tensor.dtype.base_dtype.as_datatype_enum
        for key, found in self._protos.items():
            kept = [proto.SerializeToString() for proto, names in found if names <= needed]
            if kept:
                part.collection_def[key].bytes_list.value[:] = kept
        for key, collection in self._meta.collection_def.items():
            names = [each for each in collection.node_list.value if _operation_name(each) in needed]
            if names:
                part.collection_def[key].node_list.value[:] = names
        return part


def _operation_name(text: str) -> str:
    return text.lstrip("^").split(":")[0]


def _protos(graph: Graph, meta: Any) -> Dict[str, List[Tuple[Any, Set[str]]]]:
    """Returns, for each collection of objects, the proto of each object and the operations that it names."""
    known = {node.name for node in meta.graph_def.node}
    found: Dict[str, List[Tuple[Any, Set[str]]]] = {}
    for key, collection in meta.collection_def.items():
        if collection.WhichOneof("kind") == "bytes_list":
            protos = [each.to_proto() for each in graph.get_collection(key)]
            found[key] = [(proto, _strings(proto) & known) for proto in protos if proto is not None]
    return found


def _strings(proto: Any) -> Set[str]:
    """Returns the names of operations that a proto may hold, in it and in its fields."""
    found: Set[str] = set()
    for _, value in proto.ListFields():
        if hasattr(value, "keys"):  # a map
            values = list(value.keys()) + list(value.values())
        elif isinstance(value, collections.abc.Sequence) and not isinstance(value, str):
            values = list(value)
        else:
            values = [value]
        for each in values:
            if isinstance(each, str):
                found.add(_operation_name(each))
            elif hasattr(each, "ListFields"):
                found |= _strings(each)
    return found


def _outside(context: Any) -> Set[str]:
    """Returns the names of the operations outside a `tf.cond` or `tf.while_loop` that it takes values of."""
    inner = getattr(context, context.WhichOneof("ctxt")) if "ctxt" in context.DESCRIPTOR.oneofs_by_name else context
    found = {_operation_name(each) for each in inner.values_def.external_values}
    return found.union(*(_outside(each) for each in inner.nested_contexts)) - _inside(inner)


def _inside(context: Any) -> Set[str]:
    taken = {_operation_name(each) for each in context.values_def.external_values}
    return {_operation_name(each) for each in context.values_def.values} - taken


def _names_together(graph: Graph, meta: Any, protos: Dict[str, Any]) -> Dict[str, Set[str]]:
    """Returns, for the name of an operation, those of the operations that are of use only together with it.

    They are what fills a queue that Python code fills, the other operations of its queue runner, of its variable or of
    its `tf.cond`, the initializer of its table, and what reads and assigns a variable that is not a resource variable.
    """
    together: Dict[str, Set[str]] = {}
    for operation in graph.get_operations():
        if operation.type in ("Variable", "VariableV2"):
            together[operation.name] = {user.name for user in operation.outputs[0].consumers()}
    for key, found in protos.items():
        is_context = key in (tf.GraphKeys.COND_CONTEXT, tf.GraphKeys.WHILE_CONTEXT)
        for proto, names in found:
            owner: Optional[str] = getattr(proto, "queue_name", "") or getattr(proto, "variable_name", "")
            for name in names - _outside(proto) if is_context else [_operation_name(owner or "")]:
                together.setdefault(name, set()).update(names)
    for queue in QueueGraph(graph).queues.values():
        if queue.is_filled_by_python:
            together.setdefault(queue.name, set()).update(each.operation.name for each in queue.enqueues)
    if tf.GraphKeys.TABLE_INITIALIZERS in meta.collection_def:
        for name in meta.collection_def[tf.GraphKeys.TABLE_INITIALIZERS].node_list.value:
            for tensor in graph.get_operation_by_name(_operation_name(name)).inputs:
                together.setdefault(tensor.op.name, set()).add(_operation_name(name))
    return together
