"""Attributes of a NodeDef that change nothing about its computation, and that other versions of TensorFlow lack."""
from typing import Any

# VarHandleOp has the name of the variable, for messages, on 2.21; 1.15 refuses a graph with the attribute. Tried on
# both. It can go when 1.15 need not load what a newer TensorFlow wrote.
_ANNOTATIONS = ("debug_name",)


def remove_annotations(node: Any) -> None:
    """Removes the attributes of a NodeDef that an older TensorFlow does not know, and that it does not need."""
    for name in _ANNOTATIONS:
        node.attr.pop(name, None)
