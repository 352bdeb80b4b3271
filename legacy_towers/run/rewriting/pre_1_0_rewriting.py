"""Rewrites methods and arguments that TensorFlow 1.0 renamed, in scripts that are older.

    outputs.pack()                                    methods.attribute(outputs, "pack")()
    tf.SparseTensor(indices, values, shape=sizes)     tf.SparseTensor(indices, values, dense_shape=sizes)

TensorFlow 1.15 lacks them, too, so files are rewritten on every Python.
"""
import ast
from typing import Callable

# Methods of tf.TensorArray that TensorFlow 1.0 renamed to stack and unstack.
TENSOR_ARRAY_METHODS = ("pack", "unpack")
# Modules with functions of these names.
_MODULES = ("tf", "tensorflow", "struct", "msgpack", "array_ops")
# TensorFlow 1.0 renamed their argument `shape` to dense_shape.
_SPARSE = ("SparseTensor", "SparseTensorValue")


def rewrite(module: ast.Module, look_up: Callable[[ast.Attribute], ast.expr]) -> bool:
    """Rewrites a file that imports TensorFlow in place; returns whether `look_up` was called.

    Args:
      module: the syntax tree of the file.
      look_up: returns the replacement of an attribute such as `outputs.pack`.
    """
    rewriting = _Rewriting(look_up)
    rewriting.visit(module)
    return rewriting.has_methods


class _Rewriting(ast.NodeTransformer):
    def __init__(self, look_up: Callable[[ast.Attribute], ast.expr]) -> None:
        self._look_up = look_up
        self.has_methods = False

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if isinstance(node.func, ast.Attribute) and node.func.attr in TENSOR_ARRAY_METHODS:
            if getattr(node.func.value, "id", None) not in _MODULES:
                self.has_methods = True
                node.func = self._look_up(node.func)
        elif getattr(node.func, "attr", getattr(node.func, "id", None)) in _SPARSE:
            for keyword in node.keywords:
                keyword.arg = "dense_shape" if keyword.arg == "shape" else keyword.arg
        self.generic_visit(node)
        return node
