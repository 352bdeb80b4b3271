"""Which expressions are tensors for sure, or dicts of tensors."""
from typing import Any, List, Sequence, Set

import libcst as cst

from legacy_towers.migrate.source.rewrite.drafts import Draft
from legacy_towers.migrate.source.rewrite.entries import Entry
from legacy_towers.migrate.source.rewrite.examples import returned
from legacy_towers.migrate.source.rewrite.functions import Calls, Defined
from legacy_towers.migrate.source.rewrite.names import assigned_pairs, dotted, names_of, parameters, targets
from legacy_towers.migrate.source.rewrite.region import Examples, in_order
from legacy_towers.migrate.source.rewrite.scope import Scope
from legacy_towers.migrate.source.rewrite.syntax import arguments
from legacy_towers.migrate.source.rewrite.visiting import Visitor

# Functions tf.* that return a list of tensors, and all that return something else than a tensor or a dict of tensors.
_LISTS = ("decode_csv", "split", "unstack", "unpack")
_OTHERS = _LISTS + ("meshgrid", "parse_single_sequence_example", "get_variable")
# Functions that call functions are looked into up to this depth.
_DEPTH = 4


def is_tensor(calls: Calls, draft: Draft, value: Any, known: Sequence[str], scope: Scope, depth: int = 0) -> bool:
    """Returns whether an expression is a tensor for sure, or a dict of tensors.

    Args:
      calls: the functions and calls of the pipeline.
      draft: the file of the expression.
      value: the expression.
      known: the names of tensors, and of dicts of tensors.
      scope: the function that has the expression.
      depth: in how many functions it is, seen from the first one.
    """
    if isinstance(value, cst.Name):
        return value.value in known
    if isinstance(value, cst.Call):
        name = dotted(value.func)
        if name.startswith("{}.".format(scope.tensorflow())):
            return name.rpartition(".")[2] not in _OTHERS
        defined = calls.function_of(draft, value) if depth < _DEPTH else None
        return defined is not None and _returns_tensor(calls, defined, _tensors_passed(
            calls, draft, defined, value, known, scope, depth), depth + 1)
    if isinstance(value, cst.BinaryOperation):
        return any(is_tensor(calls, draft, each, known, scope, depth) for each in (value.left, value.right))
    if isinstance(value, cst.UnaryOperation) and not isinstance(value.operator, cst.Not):
        return is_tensor(calls, draft, value.expression, known, scope, depth)
    if isinstance(value, cst.Dict):
        return bool(value.elements) and all(isinstance(each, cst.DictElement) and is_tensor(
            calls, draft, each.value, known, scope, depth) for each in value.elements)
    if isinstance(value, cst.Subscript):
        # A part of a tensor, or what a dict or list of tensors has.
        return is_tensor(calls, draft, value.value, known, scope, depth) or _is_list(value.value, scope) and (
            len(value.slice) == 1 and isinstance(value.slice[0].slice, cst.Index))
    return False


def _is_list(value: Any, scope: Scope) -> bool:
    """Returns whether an expression is a call of a function of TensorFlow that returns a list of tensors."""
    name = dotted(value.func) if isinstance(value, cst.Call) else ""
    return name.startswith("{}.".format(scope.tensorflow())) and name.rpartition(".")[2] in _LISTS


def tensors_after(
    calls: Calls, draft: Draft, statements: Sequence[Any], known: Sequence[str], scope: Scope
) -> List[str]:
    """Returns the names that are tensors for sure after statements, or dicts of tensors, in order.

    Args:
      calls: the functions and calls of the pipeline.
      draft, scope: the file and function of the statements.
      statements: the statements.
      known: the names of those before.
    """
    found = list(known)
    for statement in statements:
        if isinstance(statement, cst.If):
            blocks: List[Any] = []
            node: Any = statement
            while isinstance(node, cst.If):
                blocks.append(in_order(node.body))
                node = node.orelse
            blocks.append(in_order(node.body) if node is not None else [])
            after = [tensors_after(calls, draft, each, found, scope) for each in blocks]
            found = [each for each in after[0] if all(each in one for one in after)]
            continue
        bound = names_of(statement).bound
        shown: List[str] = []
        if isinstance(statement, cst.AugAssign) and isinstance(statement.target, cst.Name):
            shown = [statement.target.value] if statement.target.value in found else []
        elif isinstance(statement, cst.Assign) and len(statement.targets) == 1:
            pairs = assigned_pairs(statement)
            parts = [each.value for each in targets(statement) if isinstance(each, cst.Name)]
            if len(parts) == len(targets(statement)) > 1 and _is_list(statement.value, scope):
                shown = parts
            elif len(pairs) == len(parts) == len(targets(statement)):
                shown = [each for each, (_, value) in zip(parts, pairs) if is_tensor(calls, draft, value, found, scope)]
        found = [each for each in found if each not in bound or each in shown] + [
            each for each in shown if each not in found]
    return found


def tensors_of(calls: Calls, entry: Entry, examples: Examples, scope: Scope) -> List[str]:
    """Returns the names of examples that are tensors for sure, or dicts of tensors, in order."""
    found: List[str] = [] if entry.roots.is_all else list(entry.roots.names)
    for statement in examples.statements:
        names = [each.value for each in targets(statement) if isinstance(each, cst.Name)]
        if len(names) > 1 and _are_read(entry, statement):
            found += [each for each in names if each not in found]
        else:
            found = tensors_after(calls, entry.draft, [statement], found, scope)
    return found


def _are_read(entry: Entry, statement: Any) -> bool:
    """Returns whether a statement binds the results of a function that is called with the record."""
    return statement is entry.statement and entry.is_computing and isinstance(statement.value, cst.Call)


def _tensors_passed(
    calls: Calls, draft: Draft, defined: Defined, call: cst.Call, known: Sequence[str], scope: Scope, depth: int
) -> Set[str]:
    """Returns the parameters of a function that a call passes tensors for."""
    given = arguments(call, parameters(defined.node)[1 if defined.is_method else 0 :]) or {}
    return {name for name, each in given.items() if is_tensor(calls, draft, each, known, scope, depth)}


def _returns_tensor(calls: Calls, defined: Defined, passed: Set[str], depth: int) -> bool:
    """Returns whether a function whose parameters `passed` are tensors returns one tensor for sure."""
    value = returned(defined.node)
    scope = Scope(defined.draft.source, defined.node)
    # Those that stay tensors, whatever the order of the assignments.
    names = set(passed) | {each for each in names_of(*defined.node.body.body).bound
                           if each not in parameters(defined.node)}
    while True:
        kept = {
            each for each in names
            if all(is_tensor(calls, defined.draft, one, sorted(names), scope, depth)
                   for one in _assigned(defined.node, each))
            and (each in passed or _assigned(defined.node, each))
        }
        if kept == names:
            return value is not None and is_tensor(calls, defined.draft, value, sorted(names), scope, depth)
        names = kept


def _assigned(function: cst.FunctionDef, name: str) -> List[Any]:
    """Returns what a name is assigned in a function; a tuple of names is assigned an expression that is no tensor."""
    found: List[Any] = []

    class _Finder(Visitor):
        def visit_Assign(self, node: cst.Assign) -> None:
            for target, value in assigned_pairs(node):
                if isinstance(target, cst.Name) and target.value == name:
                    found.append(value)
                elif name in names_of(cst.AssignTarget(target)).bound:
                    found.append(cst.Tuple([]))

        def visit_AugAssign(self, node: cst.AugAssign) -> None:
            if name in names_of(node).bound:
                found.append(cst.BinaryOperation(cst.Name(name), cst.Add(), node.value))

        def visit_For(self, node: cst.For) -> None:
            if name in names_of(cst.AssignTarget(node.target)).bound:
                found.append(cst.Tuple([]))

        def visit_With(self, node: cst.With) -> None:
            if any(name in names_of(each).bound for each in node.items):
                found.append(cst.Tuple([]))

        def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
            if node is not function and node.name.value == name:
                found.append(cst.Tuple([]))
            return node is function

    _Finder().visit(function)
    return found
