"""Examples of one producer that nothing batches, in a pipeline whose other producers have batches.

    queue = string_input_producer(files)            dataset = from_tensor_slices(files)...
    image = read(queue)                             record = make_one_shot_iterator(dataset).get_next()
    print(session.run(image))                       image = read(record)
"""
import ast
from typing import Any, List, Sequence, Set

import libcst as cst

from legacy_towers.migrate.source.rewrite.checks import Checks, calls_in
from legacy_towers.migrate.source.rewrite.entries import Entry
from legacy_towers.migrate.source.rewrite.functions import Calls, uses_of
from legacy_towers.migrate.source.rewrite.names import names_of
from legacy_towers.migrate.source.rewrite.region import exits
from legacy_towers.migrate.source.rewrite.scope import Scope
from legacy_towers.migrate.source.rewrite.syntax import Source
from legacy_towers.migrate.source.rewrite.visiting import Visitor
from legacy_towers.migrate.source.values import Function, Site, place_of


def is_single(
    calls: Calls, entry: Entry, statements: Sequence[Any], start: int, batching: Sequence[Site]
) -> bool:
    """Returns whether an example is used in its block only, by session.run, TensorFlow and functions that don't batch.

    Args:
      calls: the functions and calls of the pipeline.
      entry: where the example is read.
      statements: the statements of its block, in order.
      start: the number of the first one after the reader.
      batching: the calls of the pipeline that batch.
    """
    source = entry.draft.source
    checks = Checks(calls.project.knowledge, source)
    names = set(entry.roots.names)
    if entry.statement is None or entry.roots.is_all or any("." in each for each in names):
        return False
    if entry.is_computing:
        if not isinstance(entry.statement, (cst.Assign, cst.Expr)):
            return False
        names |= names_of(entry.statement).bound
    body = entry.function.body if entry.function is not None else source.module
    around = source.between(entry.statement, body)
    blocks = [each for each in around if isinstance(each, cst.BaseCompoundStatement) and not (
        isinstance(each, cst.With) or isinstance(each, cst.If) and "__name__" in names_of(each.test).read)]
    if blocks or _has_global(body):
        return False
    for statement in statements[start:]:
        found = names_of(statement)
        if not found.read & names or is_only_run(source, statement, names):
            continue
        is_other = isinstance(statement, (cst.FunctionDef, cst.ClassDef)) or exits(statement)
        if is_other or found.changed or any("." in each for each in found.bound):
            return False
        for call in calls_in(statement):
            is_given = bool(names_of(*[each.value for each in call.args]).read & names)
            if is_given and _may_batch(calls, checks.functions(call), batching):
                return False
        names |= found.bound
    block = [entry.statement] + list(statements)
    for use in (each for name in names for each in uses_of(source, body, name)):
        if not any(each is one for each in [use] + source.above(use) for one in block):
            return False
    # The record has no name before where a function gets it.
    own = names - set(entry.roots.names) if entry.is_computing else names
    return entry.function is not None or not _is_read_by_functions(calls, source, own)


def _may_batch(calls: Calls, functions: Set[Function], batching: Sequence[Site]) -> bool:
    """Returns whether functions of the project, or those that they call, have one of the calls that batch."""
    knowledge = calls.project.knowledge
    nodes = {site.node for site in batching}
    waiting, seen = list(functions), set(functions)
    while waiting:
        function = waiting.pop()
        inside = [each for each in ast.walk(function.node) if isinstance(each, ast.Call)]
        if any(each in nodes for each in inside):
            return True
        called = knowledge.calls.get(function.path, {})
        for each in inside:
            more = called.get((each.lineno, each.col_offset), set()) - seen
            seen |= more
            waiting += sorted(more, key=place_of)
    return False


def write_single(calls: Calls, entry: Entry, read: Site) -> None:
    """Writes the next element of the dataset before the statement that uses the record."""
    draft = entry.draft
    tf = calls.tensorflow(Scope(draft.source, entry.function), read)
    line = "{} = {}".format(", ".join(entry.roots.names), draft.source.code(calls.next_element(entry.dataset, tf)))
    draft.edits.insert_before(entry.statement, lambda: draft.source.parse(line))


def is_only_run(source: Source, statement: Any, names: Set[str]) -> bool:
    """Returns whether a statement passes examples to session.run only, whose results are no examples for a batch."""
    uses = [use for name in sorted(names_of(statement).read & names) for use in uses_of(source, statement, name)]
    return bool(uses) and not isinstance(statement, (cst.FunctionDef, cst.ClassDef)) and all(
        _is_run(source, use, statement) for use in uses)


def _is_run(source: Source, use: Any, statement: Any) -> bool:
    inside = source.between(use, statement)
    return any(
        isinstance(each, cst.Call) and isinstance(each.func, cst.Attribute) and each.func.attr.value == "run"
        and not any(one is each.func for one in inside) for each in inside
    )


def _has_global(body: Any) -> bool:
    found: List[Any] = []

    class _Finder(Visitor):
        def visit_Global(self, node: cst.Global) -> None:
            found.append(node)

    _Finder().visit(body)
    return bool(found)


def _is_read_by_functions(calls: Calls, source: Source, names: Set[str]) -> bool:
    """Returns whether a function of the file, or another file, may read variables of the top level."""
    inner = [each for each in source.functions if names_of(each).read & names]
    return bool(inner) or any(calls.is_used_outside(source.path, each) for each in names)
