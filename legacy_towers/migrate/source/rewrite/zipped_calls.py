"""Examples whose parts are what one function returns that reads, which is called for each of them.

    image = read(images)                            dataset = read(images)
    mask = read(masks)                              dataset = Dataset.zip((dataset, read(masks)))
    batch = tf.train.batch([image, mask], 8)        dataset = dataset.batch(8)
"""
import functools
from typing import Any, List, Optional, Sequence, Tuple

import libcst as cst

from legacy_towers.migrate.source.rewrite.drafts import Draft, Irregular
from legacy_towers.migrate.source.rewrite.entries import Entry
from legacy_towers.migrate.source.rewrite.examples import Element, Roots
from legacy_towers.migrate.source.rewrite.functions import Calls
from legacy_towers.migrate.source.rewrite.names import name_of, names_of, targets
from legacy_towers.migrate.source.rewrite.region import in_order, region_of
from legacy_towers.migrate.source.rewrite.scope import Scope
from legacy_towers.migrate.source.values import Site

Called = Tuple[Draft, cst.Call]


def entries_of(callers: Sequence[Called]) -> List[List[Entry]]:
    """Returns where functions get the examples of several calls, in their order: a list of two or more for each."""
    found: List[List[Entry]] = []
    for draft, call in callers:
        source = draft.source
        function, caller = source.function(call), source.statement(call)
        bound = targets(caller)
        if len(bound) != 1 or not isinstance(bound[0], cst.Name) or caller.value is not call:
            continue
        entry = Entry(draft, function, caller, Roots((name_of(bound[0]),)), False, "")
        block = region_of(source, caller)
        group = next((each for each in found if each[0].draft is draft and each[0].function is function and (
            region_of(source, each[0].statement) is block)), None)
        if group is None:
            found.append([entry])
        else:
            group.append(entry)
    for group in found:
        order = [id(each) for each in in_order(region_of(group[0].draft.source, group[0].statement))]
        group.sort(key=lambda each: order.index(id(each.statement)))
    return [each for each in found if len(each) > 1]


def write_zip(calls: Calls, read: Site, entries: Sequence[Entry], element: Element, returns_dict: bool) -> Entry:
    """Writes the dataset of what several calls return, and returns where the function gets it.

    Args:
      calls: the functions and calls of the pipeline.
      read: the call that reads.
      entries: where the function gets what each call returns.
      element: what the called function returns.
      returns_dict: whether that is a dict.

    Raises:
      Irregular: a call returns several parts.
    """
    draft, function = entries[0].draft, entries[0].function
    source, edits = draft.source, draft.edits
    names = tuple(each.roots.names[0] for each in entries)
    if element.size > 1 or element.is_all or returns_dict or len(set(names)) < len(names):
        raise Irregular(read, "examples of several calls are in one batch, and each has several parts: zip the "
                        "datasets", source.line(entries[1].statement))
    scope = Scope(source, function)
    datasets = [calls.dataset_name(scope) for _ in entries]
    for each, dataset in zip(entries[:-1], datasets):
        edits.replace(each.statement.targets[0], cst.AssignTarget(cst.Name(dataset)))
    last = entries[-1].statement
    edits.replace(last.targets[0], cst.AssignTarget(cst.Name(datasets[0])))
    edits.replace(last.value, functools.partial(_zipped, calls.tensorflow(scope, read), datasets[:-1]))
    return Entry(draft, function, last, Roots(names), False, datasets[0], computing=_between(entries))


def _between(entries: Sequence[Entry]) -> Tuple[Any, ...]:
    """Returns the statements before the last call that compute with what the calls before return."""
    statements = in_order(region_of(entries[0].draft.source, entries[0].statement))
    own = [each.statement for each in entries]
    names, found = set(entries[0].roots.names), []
    for each in statements[statements.index(own[0]) + 1 : statements.index(own[-1])]:
        here: Optional[Entry] = next((one for one in entries if one.statement is each), None)
        if here is not None:
            names |= set(here.roots.names)
        elif names_of(each).read & names:
            found.append(each)
            names |= names_of(each).bound | names_of(each).changed
    return tuple(found)


def _zipped(tf: str, datasets: Sequence[str], call: cst.Call) -> cst.BaseExpression:
    parts = [cst.Element(cst.Name(each)) for each in datasets] + [cst.Element(call)]
    return cst.Call(cst.parse_expression(tf + ".data.Dataset.zip"), [cst.Arg(cst.Tuple(parts))])
