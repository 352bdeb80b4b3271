"""Converts the queues of a MetaGraph file to tf.data."""
from typing import Any, Dict, List, Optional, Tuple

from legacy_towers.compat import tf
from legacy_towers.compat.versions.graph import is_in_control_flow
from legacy_towers.graph.meta_graphs import imported, meta_graph_of
from legacy_towers.migrate.conversion.convert import convert_for_file
from legacy_towers.migrate.conversion.plans import REFUSED, PipelinePlan
from legacy_towers.tensor_types import Operation, Tensor
from legacy_towers.text.files import write_bytes

WHAT = "the converted MetaGraph"


def convert_meta_graph(path: str, out: Optional[str], epochs: Optional[int] = None) -> Tuple[PipelinePlan, ...]:
    """Converts the queues of a MetaGraph file, and writes a MetaGraph that reads by tf.data.

    Operations and tensors keep their names, those that were read from queues too: they are fetched and fed as before.
    Collections, devices and the names of variables stay, so that checkpoints restore. Queues that can't be converted
    stay as they are, with their queue runners.

    Args:
      path: a MetaGraph file, such as `tf.train.Saver.save` writes beside a checkpoint.
      out: the file to write; it is written only if a queue is converted, and is complete or not there. None: no file,
        only the plans.
      epochs: how often a producer without a limit gives its elements; None: for ever, as its queue does.

    Returns:
      A plan for each queue or reader that the graph reads from; none if it reads from none.

    Raises:
      ArgumentError: `path` is not a MetaGraph, has an operation that this TensorFlow lacks, or `out` can't be written.
    """
    meta = meta_graph_of(path)
    graph = imported(meta, clear_devices=False)
    conversion = convert_for_file(graph, epochs)
    if out is None or all(plan.promise == REFUSED for plan in conversion.plans):
        return conversion.plans
    with graph.as_default():
        converted = tf.train.export_meta_graph(graph=graph)
    converted.saver_def.CopyFrom(meta.saver_def)
    if not meta.HasField("saver_def"):
        converted.ClearField("saver_def")
    _keep_names(converted.graph_def, conversion.replaced)
    write_bytes(out, converted.SerializeToString(), WHAT)
    return conversion.plans


def _keep_names(graph_def: Any, replaced: Dict[Tensor, Tensor]) -> None:
    """Gives the names of what was read from queues to operations that hand on what iterators give.

        batch (QueueDequeueMany)        ->  model      batch_of_queue (QueueDequeueMany)
        IteratorGetNext                 ->  model  =>  IteratorGetNext -> batch (IdentityN) -> model
    """
    reads: Dict[Operation, List[Tensor]] = {}
    for old, new in replaced.items():
        reads.setdefault(old.op, []).append(new)
    names = {node.name for node in graph_def.node}
    for read, elements in reads.items():
        if len(elements) == len(read.outputs) and not is_in_control_flow(read):
            _hand_on(graph_def, read, elements, names)


def _hand_on(graph_def: Any, read: Operation, elements: List[Tensor], names: Any) -> None:
    unused = read.name + "_of_queue"
    while unused in names:
        unused += "_"
    names.add(unused)
    outputs = {_input_name(new.name): _input_name("{}:{}".format(read.name, n)) for n, new in enumerate(elements)}
    for node in graph_def.node:
        if node.name == read.name:
            node.name = unused
        node.input[:] = [outputs.get(each, each) for each in node.input]
    node = graph_def.node.add(name=read.name, op="IdentityN", input=[_input_name(each.name) for each in elements])
    node.attr["T"].list.type.extend(each.dtype.base_dtype.as_datatype_enum for each in elements)


def _input_name(tensor: str) -> str:
    """Returns a tensor's name as an input of a node has it: without ":0"."""
    return tensor[:-len(":0")] if tensor.endswith(":0") else tensor
