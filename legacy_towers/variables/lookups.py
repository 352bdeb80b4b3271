"""Refuse embedding lookups that would give the parts of a cut variable other rows than the whole variable has."""
from typing import Any, Dict, Iterator, List, Sequence

from legacy_towers.errors import TowerError

# What passes a variable's value on as it is, or with the same rows.
_PASSES_ON = frozenset(["ReadVariableOp", "Identity", "Cast", "Enter", "RefEnter", "Switch", "RefSwitch"])
_GATHERS = frozenset(["ResourceGather", "GatherV2", "Gather"])


def check_lookups(parts: Dict[str, Sequence[Any]]) -> None:
    """Raises TowerError if a row of a cut variable is looked up with partition_strategy="mod".

        10 rows in 3 parts   "div": 0 1 2 3 | 4 5 6 | 7 8 9     rows as they are in the whole variable and a checkpoint
                             "mod": 0 3 6 9 | 1 4 7 | 2 5 8     rows in an order that depends on the number of parts

    Args:
      parts: the variables of each cut variable, by its name.
    """
    for name in parts:
        for part in parts[name]:
            for gather in _gathers(part.op.outputs[0]):
                if _is_mod(gather.inputs[1].op):
                    raise TowerError(
                        "{!r} looks up rows of {!r}, which is cut into {} parts, with partition_strategy=\"mod\" "
                        "(TensorFlow's default): the parts would hold other rows than the whole variable, and its "
                        'checkpoints would fit nothing else. Use tf.nn.embedding_lookup(..., partition_strategy="div")'
                        ", or keep it whole by a greater max_part_bytes".format(gather.name, name, len(parts[name]))
                    )


def _gathers(tensor: Any) -> Iterator[Any]:
    """Yields the operations that take rows of the value that `tensor` is or refers to."""
    seen = set()
    waiting: List[Any] = [tensor]
    while waiting:
        current = waiting.pop()
        for consumer in current.consumers():
            if consumer.name in seen:
                continue
            seen.add(consumer.name)
            if consumer.type in _GATHERS and consumer.inputs[0] is current:
                yield consumer
            elif consumer.type in _PASSES_ON:
                waiting.extend(consumer.outputs)


def _is_mod(indices: Any) -> bool:
    """Returns whether indices were dealt out over the parts by their remainder, as TensorFlow's "mod" does."""
    if indices.type != "DynamicPartition":
        return False
    part_of_index = indices.inputs[1].op
    while part_of_index.type in ("Cast", "Identity"):
        part_of_index = part_of_index.inputs[0].op
    return bool(part_of_index.type == "FloorMod")
