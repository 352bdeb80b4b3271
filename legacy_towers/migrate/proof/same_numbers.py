"""Copies of a graph in which a random operation draws the same numbers for each example.

Where threads take examples in any order, which of them gets which random numbers is a race, with seeds too.
"""
from typing import Any, Iterable, List, Optional

from legacy_towers.compat import tf
from legacy_towers.graph.meta_graphs import copy_of

_STATELESS = {
    "RandomUniform": "StatelessRandomUniform",
    "RandomStandardNormal": "StatelessRandomNormal",
    "TruncatedNormal": "StatelessTruncatedNormal",
    "RandomUniformInt": "StatelessRandomUniformInt",
    "Multinomial": "StatelessMultinomial",
}
_BOXES = ("SampleDistortedBoundingBox", "SampleDistortedBoundingBoxV2")

# By the first, a uniform number between 0 and 1 is below a half, by the second it is above: images are flipped or not.
SEEDS = (3, 1)


def with_same_numbers(meta: Any, names: Iterable[str], seed: int) -> Optional[Any]:
    """Returns a copy of a MetaGraphDef in which each run of a random operation gives the same numbers.

    `tf.image.sample_distorted_bounding_box` gives the middle of the image.

    Args:
      meta: a MetaGraphDef.
      names: the names of the random operations.
      seed: what decides the numbers.

    Returns:
      The copy; None if one of the operations draws numbers of another kind.
    """
    copied = copy_of(meta)
    wanted = set(names)
    added: List[Any] = []
    boxes = set()
    for node in copied.graph_def.node:
        if node.name not in wanted:
            continue
        if node.op in _STATELESS:
            added.append(_constant(node.name + "/same_seed", [seed, 0], tf.int64))
            _make_stateless(node, added[-1].name)
        elif node.op in _BOXES:
            boxes.add(node.name)
            added += _middle(node)
        else:
            return None
    for node in copied.graph_def.node:
        for index, name in enumerate(node.input):
            operation, _, output = name.lstrip("^").partition(":")
            if operation in boxes:
                part = operation + "/" + ("begin", "size", "box")[int(output or 0)]
                node.input[index] = "^" + part if name.startswith("^") else part
    copied.graph_def.node.extend(added)
    return copied


def _make_stateless(node: Any, seed: str) -> None:
    inputs = list(node.input)
    position = 2 if node.op == "Multinomial" else 1
    if node.op == "RandomUniformInt":
        node.attr["dtype"].type = node.attr["Tout"].type
        del node.attr["Tout"]
    node.op = _STATELESS[node.op]
    for name in ("seed", "seed2"):
        node.attr.pop(name, None)
    node.attr["Tseed"].type = tf.int64.as_datatype_enum
    node.input[:] = inputs[:position] + [seed] + inputs[position:]


def _middle(node: Any) -> List[Any]:
    """Returns the nodes of the middle of an image, with half of its height and width, all channels and the box."""
    dtype = tf.as_dtype(node.attr["T"].type)
    begin, size, last = [
        _constant("{}/{}".format(node.name, name), value, dtype)
        for name, value in (("quarter", [4, 4, 100]), ("half", [2, 2, 100]), ("last", [0, 0, -1]))
    ]
    # No image has 100 channels: their count becomes 0, and -1 stands for all of them.
    return [
        begin, size, last,
        _of_two(node.name + "/begin", "FloorDiv", node.input[0], begin.name, dtype),
        _of_two(node.name + "/halves", "FloorDiv", node.input[0], size.name, dtype),
        _of_two(node.name + "/size", "Add", node.name + "/halves", last.name, dtype),
        _constant(node.name + "/box", [[[0.25, 0.25, 0.75, 0.75]]], tf.float32),
    ]


def _of_two(name: str, kind: str, first: str, second: str, dtype: Any) -> Any:
    node = tf.NodeDef(name=name, op=kind, input=[first, second])
    node.attr["T"].type = dtype.as_datatype_enum
    return node


def _constant(name: str, value: Any, dtype: Any) -> Any:
    node = tf.NodeDef(name=name, op="Const")
    node.attr["dtype"].type = dtype.as_datatype_enum
    node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(value, dtype))
    return node
