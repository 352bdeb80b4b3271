"""Readers that an expression chooses: by a condition, or in the place of an argument that no call passes.

    reader = TFRecordReader() if records else TextLineReader()               also as the branches of an `if`
    dataset = dataset.flat_map(tf.data.TFRecordDataset if records else tf.data.TextLineDataset)

    def __init__(self, reader=None):                     def __init__(self):
        self.reader = reader or TFRecordReader()
"""
from typing import Any, Callable, List, Optional, Sequence, Tuple

import libcst as cst

from legacy_towers.migrate.source.rewrite.drafts import Draft, Irregular
from legacy_towers.migrate.source.rewrite.functions import Calls, uses_of
from legacy_towers.migrate.source.rewrite.names import names_of, parameters
from legacy_towers.migrate.source.rewrite.scope import Scope, literal
from legacy_towers.migrate.source.rewrite.shapes import readers
from legacy_towers.migrate.source.rewrite.syntax import Source, arguments, statements_of
from legacy_towers.migrate.source.values import Site

# Longer choices are on two lines.
_LONGEST = 84
# Expressions that need no parentheses in a condition.
_PLAIN = (cst.Name, cst.Attribute, cst.Call, cst.Integer, cst.SimpleString)


def choice_around(source: Source, reader: cst.Call) -> Any:
    """Returns the expression or the `if` that chooses a reader, None if the call is not in one."""
    around: Any = source.parents.get(reader)
    if isinstance(around, cst.Assign):
        return _if_around(source, around)
    if isinstance(around, cst.IfExp) and around.test is not reader:
        return around
    is_or = isinstance(around, cst.BooleanOperation) and isinstance(around.operator, cst.Or)
    return around if is_or and around.right is reader else None


def _if_around(source: Source, assigned: cst.Assign) -> Any:
    """Returns the `if` whose two branches do nothing else than to assign calls to one name, None if there is none."""
    found: Any = next((each for each in source.above(assigned) if isinstance(each, (cst.If, cst.FunctionDef))), None)
    if not isinstance(found, cst.If) or not isinstance(found.orelse, cst.Else):
        return None
    branches = [statements_of(each) for each in (found.body, found.orelse.body)]
    names = {_assigned_name(each[0]) for each in branches if len(each) == 1}
    is_own = len(names) == 1 and "" not in names and all(len(each) == 1 for each in branches)
    return found if is_own and not isinstance(source.parents[found], cst.If) else None


def _assigned_name(statement: Any) -> str:
    """Returns the name that a statement assigns a call to, "" of another statement."""
    if not isinstance(statement, cst.Assign) or not isinstance(statement.value, cst.Call):
        return ""
    target = statement.targets[0].target
    return target.value if len(statement.targets) == 1 and isinstance(target, cst.Name) else ""


def branches_in(choice: Any) -> Tuple[Any, Any]:
    """Returns the two expressions of a choice."""
    if isinstance(choice, cst.If):
        assert isinstance(choice.orelse, cst.Else)
        return statements_of(choice.body)[0].value, statements_of(choice.orelse.body)[0].value
    return choice.body, choice.orelse


def are_chosen(calls: Calls, found: Sequence[Site]) -> bool:
    """Returns whether two readers are the branches of one expression."""
    if len(found) != 2 or found[0].path != found[1].path:
        return False
    source = calls.draft(found[0].path).source
    choice = choice_around(source, calls.call(found[0]))
    return is_of_two(choice) is True and set(branches_in(choice)) == {calls.call(each) for each in found}


def combined(one: readers.Records, other: readers.Records, test: str, site: Site) -> readers.Records:
    """Returns how a reader reads that is one of two.

    Args:
      one, other: how these read.
      test: the expression of the condition.
      site: the call that makes the first reader.

    Raises:
      Irregular: one reads the records of files, and the other does not.
    """
    if not (one.of_file and other.of_file):
        raise Irregular(site, "it is one of two readers that are not both of records: make the datasets in an `if`")
    return readers.Records(
        _chosen(one.of_file, other.of_file, test), "", False,
        _chosen(one.with_keys, other.with_keys, test))


def _chosen(one: str, other: str, test: str) -> str:
    if one == other:
        return one
    one = "({})".format(one) if one.startswith("lambda") else one
    is_long = len(one + test + other) > _LONGEST
    return "{}{}if {} else {}".format(one, "\n    " if is_long else " ", test, other)


def carried_test(node: Any, carried: Callable[[Any], Any]) -> Any:
    """Returns a condition as it is written in another function, None if it can't be.

    Args:
      node: the condition: `records`, `not records`, `kind == "records"`.
      carried: returns an expression as it is written there, or None.
    """
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not):
        inner = carried(node.expression)
        return node.with_changes(expression=inner) if isinstance(inner, _PLAIN) else None
    if isinstance(node, cst.Comparison) and len(node.comparisons) == 1:
        left, right = carried(node.left), carried(node.comparisons[0].comparator)
        if not isinstance(left, _PLAIN) or not isinstance(right, _PLAIN):
            return None
        return node.with_changes(left=left, comparisons=[node.comparisons[0].with_changes(comparator=right)])
    return carried(node)


def check_test(site: Site, choice: Any, scope: Scope) -> None:
    """Raises Irregular if the condition of a choice may have another value where the dataset is made."""
    for name in sorted(names_of(choice.test).read):
        bound = names_of(*scope.function.body.body).bound if scope.function is not None else set()
        is_parameter = scope.function is not None and name in parameters(scope.function)
        if is_parameter and name in bound or not is_parameter and len(scope.assigned(name)) > 1:
            raise Irregular(site, "it is chosen by {!r}, which gets several values".format(name))


def remove_argument(calls: Calls, site: Site, draft: Draft, choice: Any) -> None:
    """Removes the parameter that a reader stands in the place of, if no call passes it.

    Args:
      calls: the functions and calls of the pipeline.
      site: the call that makes the reader.
      draft: its file.
      choice: the expression: `given or reader`, `given if given else reader`.

    Raises:
      Irregular: it is no such expression, or a call passes a reader.
    """
    source = draft.source
    function = source.function(choice)
    name = _given_name(choice)
    order = parameters(function) if function is not None else []
    if function is None or not name or name not in order:
        raise Irregular(site, "the source does not show which of several readers it is")
    param = next((each for each in function.params.params if each.name.value == name), None)
    why = "its reader may be the argument {!r}".format(name)
    if param is None or param.default is None or literal(param.default) != "None":
        raise Irregular(site, why, source.line(function))
    uses = uses_of(source, function.body, name)
    if any(choice not in source.above(each) for each in uses):
        raise Irregular(site, why + ", which is also used otherwise", source.line(function))
    if function.name.value == "__init__":
        made = calls.constructions(draft, function)
        also = calls.callers_of(draft, function)
        if also:
            raise Irregular(site, why, also[0][0].source.line(also[0][1]))
    else:
        made = [(calls.of_node(draft, function),) + each for each in calls.callers_of(draft, function)]
    if not made:
        raise Irregular(site, why + ", and nothing in the project calls {!r}".format(function.name.value),
                        source.line(function))
    for defined, there, call in made:
        names = order[1 if defined.is_method else 0 :]
        given = arguments(call, names)
        by_place = sum(1 for each in call.args if each.keyword is None)
        if given is None or name in given or by_place > names.index(name):
            raise Irregular(site, why, there.source.line(call))
        calls.handled(there, call, defined)
    kept: List[Any] = [each for each in function.params.params if each.name.value != name]
    if kept:
        kept[-1] = kept[-1].with_changes(comma=function.params.params[-1].comma)
    draft.edits.replace(function.params, function.params.with_changes(params=kept))


def _given_name(choice: Any) -> str:
    """Returns the name of the argument that a reader stands in the place of, "" of another expression."""
    if isinstance(choice, cst.BooleanOperation):
        return choice.left.value if isinstance(choice.left, cst.Name) else ""
    given, test = choice.body, choice.test
    if isinstance(test, cst.Comparison) and len(test.comparisons) == 1:
        operator, right = test.comparisons[0].operator, test.comparisons[0].comparator
        if literal(right) != "None" or not isinstance(operator, (cst.Is, cst.IsNot)):
            return ""
        given, test = (choice.orelse if isinstance(operator, cst.Is) else given), test.left
    is_same = isinstance(given, cst.Name) and isinstance(test, cst.Name) and given.value == test.value
    return given.value if is_same else ""


def is_of_two(choice: Any) -> Optional[bool]:
    """Returns whether a choice is of two calls; None without a choice."""
    if choice is None:
        return None
    return isinstance(choice, cst.If) or isinstance(choice, cst.IfExp) and all(
        isinstance(each, cst.Call) for each in branches_in(choice))
