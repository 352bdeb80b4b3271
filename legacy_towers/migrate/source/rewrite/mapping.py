"""Writes the function of Dataset.map, from the statements that compute an example."""
from typing import Any, List, Optional, Sequence

import libcst as cst

from legacy_towers.migrate.source.rewrite.entries import Entry
from legacy_towers.migrate.source.rewrite.examples import Element
from legacy_towers.migrate.source.rewrite.functions import Calls
from legacy_towers.migrate.source.rewrite.names import targets
from legacy_towers.migrate.source.rewrite.region import Examples
from legacy_towers.migrate.source.rewrite.scope import Scope
from legacy_towers.migrate.source.rewrite.syntax import Source
from legacy_towers.migrate.source.rewrite.turns import Turns

_ABOVE_SUMMARIES = "# Its summaries are of examples that are read for them."


def write_map(
    calls: Calls, entry: Entry, statement: Any, examples: Examples, element: Element, threads: str,
    places: Sequence[Any] = (), names: Sequence[str] = ("parse", "parse_example", "parse_record"),
    summarized: str = "", turns: Optional[Turns] = None,
) -> str:
    """Inserts the function of Dataset.map before `statement`, and its call there or before each of `places`.

    Args:
      calls, entry, examples, element: the functions, the place of the examples, what computes them, what is returned.
      statement, places: where the function and the calls are written.
      threads: the expression of the number of threads, "" for one.
      names: what the function may be called; the first name that is free is taken.
      summarized: what TensorFlow is called there, if the function makes summaries, which one more call of it keeps.
      turns: the numbers that examples are computed with, None if they are computed alike.

    Returns the expression of an example that is made from the names of `entry`, "" where it has these names.
    """
    draft, roots = entry.draft, entry.roots
    edits, source = draft.edits, draft.source
    parallel = ", num_parallel_calls={}".format(threads) if threads else ""
    line = "{0} = {0}.map({{}}{1})".format(entry.dataset, parallel)
    comments = [one for each in examples.statements for one in _comments_above(source, each)]
    for each in examples.statements:
        edits.remove(each, with_comments=True)
    after = ["{0} = {0}.unbatch()".format(entry.dataset)] if element.is_many else []
    direct = _direct(calls, entry, examples, element) if not summarized and turns is None else None
    if direct is not None:
        lines = ([line.format(direct)] if direct else []) + after
        if lines:
            for place in places or [statement]:
                edits.insert_before(place, lambda: _led_by(comments, source.parse("\n".join(lines))))
        if direct.startswith("lambda"):
            return direct.partition(": ")[2]
        return "{}({})".format(direct, roots.parameters()) if direct else ""
    scope = Scope(source, entry.function)
    name = scope.fresh(*names)
    is_top = source.block(statement) is source.module
    gap = [cst.EmptyLine(indent=False)] * (2 if is_top else 1)

    def make() -> List[Any]:
        body: List[Any] = [edits.moved(each) for each in examples.statements]
        body += source.parse("return {}".format(element.returned))
        body = _spaced(body)
        if body and isinstance(body[0], cst.SimpleStatementLine):
            lead = [each for each in body[0].leading_lines if each.comment]
            body[0] = body[0].with_changes(leading_lines=lead)
        parameters = roots.parameters() if turns is None else turns.parameters(roots)
        function = source.parse("def {}({}):\n    pass".format(name, parameters))[0]
        functions = [function.with_changes(body=cst.IndentedBlock(body), leading_lines=gap)]
        if turns is not None:
            in_turn = turns.function(mapped_name, name, roots, scope, source)
            functions.append(in_turn.with_changes(leading_lines=gap))
        return functions + (mapped(gap) if not places else [])

    mapped_name, kept = name, []
    if turns is not None:
        mapped_name = scope.fresh(name + "_in_turn", "in_turn")
        line = line.replace(".map(", ".enumerate().map(", 1)
    mapping = [line.format(mapped_name)]
    if summarized:
        example = "{}.data.make_one_shot_iterator({}).get_next()".format(summarized, entry.dataset)
        kept = ["{}({}{})".format(name, roots.star(), example)]
        if turns is not None:
            kept = turns.summary_lines(name, roots, example)

    def mapped(above: List[Any]) -> List[Any]:
        if kept:
            above = list(above) + [cst.EmptyLine(comment=cst.Comment(_ABOVE_SUMMARIES))]
        return _led_by(above, source.parse("\n".join(kept + mapping + after)))

    edits.insert_before(statement, make)
    for place in places:
        edits.insert_before(place, lambda: mapped([]))
    return "{}({})".format(name, roots.parameters())


def _spaced(body: List[Any]) -> List[Any]:
    """Returns statements with a blank line around each function among them."""
    found = body[:1]
    for before, each in zip(body, body[1:]):
        is_beside = isinstance(before, cst.FunctionDef) or isinstance(each, cst.FunctionDef)
        lines = list(each.leading_lines)
        if is_beside and all(line.comment for line in lines[:1]):
            each = each.with_changes(leading_lines=[cst.EmptyLine(indent=False)] + lines)
        found.append(each)
    return found


def _led_by(comments: List[Any], lines: List[Any]) -> List[Any]:
    return [lines[0].with_changes(leading_lines=comments)] + lines[1:]


def _comments_above(source: Source, statement: Any) -> List[Any]:
    return [each for each in getattr(source.line_of(statement), "leading_lines", ()) if each.comment]


def _direct(calls: Calls, entry: Entry, examples: Examples, element: Element) -> Optional[str]:
    """Returns what Dataset.map takes where no function has to be written: "" for no map, None otherwise."""
    roots = entry.roots
    if not examples.statements:
        if element.is_root(roots):
            return ""
        called = element.text.partition("(")
        if called[2] == roots.parameters() + ")" and called[0].replace("_", "").replace(".", "").isalnum():
            return called[0]
        return "lambda {}: {}".format(roots.parameters(), element.text)
    if len(examples.statements) > 1:
        return None
    statement = examples.statements[0]
    if not isinstance(statement, cst.Assign) or not isinstance(statement.value, cst.Call):
        return None
    call = statement.value
    function = calls.function_of(entry.draft, call)
    if function is None or not element.is_targets(targets(statement), entry.draft.source):
        return None
    shown = calls.shown(entry.draft, call)
    if shown is call:
        return None
    if len(targets(statement)) == 1:
        if isinstance(shown, (cst.List, cst.Tuple, cst.ListComp)):
            return None
    elif not isinstance(shown, cst.Tuple) or len(shown.elements) != len(targets(statement)):
        return None
    text = entry.draft.source.code(entry.draft.edits.done(call)).strip()
    inside = text[len(entry.draft.source.code(call.func)) :].strip()
    if inside == "({})".format(roots.parameters()):
        return entry.draft.source.code(call.func)
    return "lambda {}: {}".format(roots.parameters(), text)
