"""Expressions of one function, written in another."""
from typing import Any, Dict, List, Optional

import libcst as cst

from legacy_towers.migrate.source.rewrite.names import assigned_pairs, dotted, is_of_self, names_of, parameters
from legacy_towers.migrate.source.rewrite.scope import Scope
from legacy_towers.migrate.source.rewrite.visiting import Visitor

# What the module of a function is called where an expression of it is written.
MODULE = "the module"


def carried(node: Any, scope: Scope, given: Dict[str, Any], is_same_file: bool, line: int) -> Optional[Any]:
    """Returns an expression of a function for the place of a call of it, None if it can't be written there.

    `label_bytes + image_bytes`, where the function assigns them 1 and `result.height * 3`, is `1 + 32 * 3`.

    Args:
      node: the expression.
      scope: the function.
      given: parameter -> what the call passes; "self" is the object whose method the function is, and MODULE the module
        of the function, where the file of the call has a name for it.
      is_same_file: whether the call is in the same file: it has the same names at the top level.
      line: the line that has the expression.
    """
    if isinstance(node, (cst.Integer, cst.Float, cst.SimpleString)):
        return node
    if isinstance(node, cst.BinaryOperation):
        left, right = (carried(each, scope, given, is_same_file, line) for each in (node.left, node.right))
        if left is None or right is None:
            return None
        return node.with_changes(left=_operand(left, node.operator), right=_operand(right, node.operator))
    if isinstance(node, cst.Call) and dotted(node.func):
        values = [carried(each.value, scope, given, is_same_file, line) for each in node.args]
        if any(each is None for each in values):
            return None
        return node.with_changes(args=[each.with_changes(value=value) for each, value in zip(node.args, values)])
    if isinstance(node, cst.Name):
        if node.value in ("None", "True", "False"):
            return node
        if scope.function is not None and node.value in parameters(scope.function):
            is_bound = node.value in names_of(*scope.function.body.body).bound
            return None if is_bound else given.get(node.value)
        values = scope.assigned(node.value)
        own = Scope(scope.source, None).assigned(node.value)
        if values and values != own:
            # The last one before: `size = 10; reader = FixedLengthRecordReader(size); size = tf.size(...)`.
            values = [each for each in values if scope.source.line(each) < line]
            return carried(values[-1], scope, given, is_same_file, line) if values else None
        if len(values) == 1:
            there = {MODULE: given[MODULE]} if MODULE in given else {}
            return node if is_same_file else carried(values[0], Scope(scope.source, None), there, False, line)
        return None
    if isinstance(node, cst.Attribute):
        return _attribute(node, scope, given, is_same_file, line)
    if isinstance(node, cst.Subscript) and len(node.slice) == 1 and isinstance(node.slice[0].slice, cst.Index):
        index = node.slice[0].slice
        base, key = (carried(each, scope, given, is_same_file, line) for each in (node.value, index.value))
        if not dotted(base) or key is None:
            return None
        return node.with_changes(value=base, slice=[node.slice[0].with_changes(slice=index.with_changes(value=key))])
    return None


def _attribute(node: Any, scope: Scope, given: Dict[str, Any], is_same_file: bool, line: int) -> Optional[Any]:
    name = dotted(node)
    if name.partition(".")[0] == scope.tensorflow():
        return node
    found: List[Any] = []

    class _Finder(Visitor):
        def visit_Assign(self, assign: cst.Assign) -> None:
            found.extend(value for target, value in assigned_pairs(assign) if dotted(target) == name)

    if scope.function is not None and name:
        _Finder().visit(scope.function.body)
    if is_of_self(node) and "self" in given:
        # It has the same value later: the class has it, or this function sets it once, before.
        before = [each for each in found if scope.source.line(each) < line]
        is_constant = _times_bound(scope.source.module, node.attr.value) == len(before) < 2
        return node.with_changes(value=given["self"]) if is_constant else None
    if not found and isinstance(node.value, cst.Name):
        base = node.value.value
        if scope.function is not None and base in parameters(scope.function):
            return node.with_changes(value=given[base]) if dotted(given.get(base)) else None
        if not _is_of_module(scope, base) or not is_same_file and MODULE not in given:
            return None
        # `inputs.FLAGS.size` is `FLAGS.size` of the module `inputs`.
        return node if is_same_file else node.with_changes(value=cst.Attribute(given[MODULE], node.value))
    return carried(found[0], scope, given, is_same_file, line) if len(found) == 1 else None


def _is_of_module(scope: Scope, name: str) -> bool:
    """Returns whether the top level of a module binds a name, and the function does not."""
    own = names_of(*scope.function.body.body).bound if scope.function is not None else set()
    return name not in own and name in names_of(*scope.source.module.body).bound


def _times_bound(module: cst.Module, attribute: str) -> int:
    """Returns how often an attribute of this name is bound in a module, of whatever object."""
    found = []

    class _Finder(Visitor):
        def visit_AssignTarget(self, node: cst.AssignTarget) -> None:
            self._target(node.target)

        def visit_AugAssign(self, node: cst.AugAssign) -> None:
            self._target(node.target)

        def visit_For(self, node: cst.For) -> None:
            self._target(node.target)

        def _target(self, node: Any) -> None:
            if isinstance(node, (cst.Tuple, cst.List)):
                for each in node.elements:
                    self._target(each.value)
            elif isinstance(node, cst.Attribute) and node.attr.value == attribute:
                found.append(node)

    _Finder().visit(module)
    return len(found)


def _operand(node: Any, operator: Any) -> Any:
    if isinstance(node, cst.BinaryOperation) and not node.lpar and not isinstance(operator, cst.Add):
        if not (isinstance(node.operator, cst.Multiply) and isinstance(operator, cst.Multiply)):
            return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return node
