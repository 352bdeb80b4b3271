"""The arguments of a call, those of `**options` included, where the source shows what `options` has."""
import ast
from typing import Any, Dict, List, Optional, Sequence

import libcst as cst

from legacy_towers.migrate.source.rewrite.drafts import Irregular
from legacy_towers.migrate.source.rewrite.functions import uses_of
from legacy_towers.migrate.source.rewrite.names import dotted, parameters
from legacy_towers.migrate.source.rewrite.scope import Scope, literal
from legacy_towers.migrate.source.rewrite.syntax import arguments
from legacy_towers.migrate.source.values import Site


def passed(call: cst.Call, names: Sequence[str], scope: Scope) -> Optional[Dict[str, cst.BaseExpression]]:
    """Returns parameter -> expression of a call; None if it passes *arguments, unknown **keywords or unknown ones.

    An argument in `**options` is its value, if that is a literal, and else `options["name"]`.

    Args:
      call: the call.
      names: the parameters.
      scope: where the call is.
    """
    args: List[cst.Arg] = []
    for each in call.args:
        if each.star != "**":
            args.append(each)
            continue
        values = items_of(each.value, scope)
        if values is None:
            return None
        for name, value in values.items():
            is_written = isinstance(value, cst.SimpleString) or literal(value) is not None
            if not is_written and isinstance(each.value, cst.Name):
                value = cst.parse_expression("{}[\"{}\"]".format(each.value.value, name))
            args.append(cst.Arg(value, keyword=cst.Name(name)))
    return arguments(call.with_changes(args=args), names)


def known(site: Site, found: Optional[Dict[str, cst.BaseExpression]]) -> Dict[str, cst.BaseExpression]:
    """Returns the arguments of a call, as `passed` or `arguments` found them.

    Raises:
      Irregular: they are None: the source does not show them.
    """
    if found is None:
        raise Irregular(site, "it is called with *arguments, **keywords or arguments that it does not have")
    return found


def items_of(node: Any, scope: Scope) -> Optional[Dict[str, Any]]:
    """Returns what a dict has that nothing changes, None if the source does not show it."""
    if not isinstance(node, cst.Name):
        return _items(node)
    name, function = node.value, scope.function
    if function is not None and name in parameters(function):
        return None
    values = scope.assigned(name)
    if len(values) != 1:
        return None
    maker = scope.source.function(values[0])
    body = maker.body if maker is not None else scope.source.module
    for use in uses_of(scope.source, body, name):
        around: Any = scope.source.parents[use]
        is_read = isinstance(around, cst.Arg) and around.star == "**"
        if isinstance(around, cst.Subscript) and around.value is use:
            is_read = not isinstance(scope.source.parents[around], (cst.AssignTarget, cst.AugAssign, cst.Del))
        if not is_read:
            return None
    return _items(values[0])


def _items(node: Any) -> Optional[Dict[str, Any]]:
    """Returns the items of `{"a": b}` or `dict(a=b)`, None for another expression."""
    found: Dict[str, Any] = {}
    if isinstance(node, cst.Dict):
        for each in node.elements:
            if not isinstance(each, cst.DictElement) or not isinstance(each.key, cst.SimpleString):
                return None
            found[str(ast.literal_eval(each.key.value))] = each.value
        return found
    if isinstance(node, cst.Call) and dotted(node.func) == "dict":
        for arg in node.args:
            if arg.keyword is None or arg.star:
                return None
            found[arg.keyword.value] = arg.value
        return found
    return None
