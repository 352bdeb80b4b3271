"""What a class reads in one method, computes with in another, and batches there.

    self.name, self.label = slice_input_producer([names, labels])       dataset = from_tensor_slices((names, labels))
                                                                        self.dataset = dataset

    def batch(self):                                                    dataset = self.dataset
        image = decode(self.name)                                       dataset = dataset.map(parse)
        return tf.train.batch([image, self.label], 8)                   dataset = dataset.batch(8)
"""
from typing import Any, Callable, List, Sequence

import libcst as cst

from legacy_towers.migrate.source.rewrite import region
from legacy_towers.migrate.source.rewrite.attributes import in_file, uses_in_project, with_variables
from legacy_towers.migrate.source.rewrite.checks import Checks
from legacy_towers.migrate.source.rewrite.drafts import Irregular
from legacy_towers.migrate.source.rewrite.entries import Entry
from legacy_towers.migrate.source.rewrite.examples import Element, Roots
from legacy_towers.migrate.source.rewrite.functions import Calls
from legacy_towers.migrate.source.rewrite.kept import name_kept
from legacy_towers.migrate.source.rewrite.mapping import write_map
from legacy_towers.migrate.source.rewrite.names import is_of_self, names_of
from legacy_towers.migrate.source.rewrite.objects import check_once, class_of
from legacy_towers.migrate.source.rewrite.scope import Scope
from legacy_towers.migrate.source.values import Site

_SELF = "self."


def follow_kept(
    calls: Calls, read: Site, entry: Entry, statements: Sequence[Any], start: int, follow: Callable[[Entry], None]
) -> bool:
    """Keeps the dataset of what a method keeps, and goes on in the only other method that uses it.

    Args:
      calls: the functions and calls of the pipeline.
      read: the call that reads.
      entry: where the first method gets examples.
      statements: the statements of its block, in order.
      start: the number of the first one after the reader.
      follow: goes from where code gets examples to what takes them.

    Returns:
      False, with nothing edited, where the first method keeps nothing that another method uses.

    Raises:
      Irregular: what is computed before can't be in Dataset.map, it is also used elsewhere, or the other method runs
        several times.
    """
    source, edits = entry.draft.source, entry.draft.edits
    owner = class_of(source, entry.statement) if entry.statement is not None else None
    if owner is None:
        return False
    checks = Checks(calls.project.knowledge, source)
    first = [entry.statement] if entry.is_computing else []
    try:
        examples = region.computing(
            statements, start, len(statements), set(entry.roots.names), first, checks.is_random)
    except region.Unclear as unclear:
        raise Irregular(read, str(unclear), source.line(unclear.node)) from None
    makers = [entry.statement] + list(examples.statements)
    kept: List[str] = []
    methods: List[Any] = []
    for name in sorted(each for each in examples.names if each.startswith(_SELF)):
        for there, each in uses_in_project(calls, source, name[len(_SELF):], entry.function):
            if there is source and any(one is other for one in source.above(each) for other in makers):
                continue
            method = source.function(each) if there is source and is_of_self(each) else None
            if method is None or class_of(source, each) is not owner:
                raise Irregular(read, "{!r} is of one example, and is also used elsewhere{}".format(
                    name, in_file(there, source)), there.line(each))
            if methods and method is not methods[0]:
                raise Irregular(read, "{!r} is of one example, and several methods use it: read and batch in one "
                                "method".format(name), source.line(each))
            kept += [name] if name not in kept else []
            methods = [method]
    if not methods or methods[0] is entry.function or entry.roots.is_all:
        return False
    if set(kept) == set(entry.roots.names):
        kept = list(entry.roots.names)
    scope, method = Scope(source, entry.function), methods[0]
    captured = names_of(*examples.statements).read - examples.names
    why = checks.problem_of_captured(captured, scope, examples.statements)
    if checks.uses_table(captured, scope):
        why = "it computes examples with a table"
    problem = checks.problem_inside(examples.statements)
    if problem is not None or why is not None:
        raise Irregular(read, *(problem or (why,)))
    if any(region.exits(each) for each in examples.statements):
        raise Irregular(read, "its result is kept in an object, in a statement that also returns")
    check_once(calls, entry.draft, method, owner, read)
    name_kept(entry, examples, read)
    mapped = with_variables(entry, {each: each.rpartition(".")[2] for each in entry.roots.names})
    element = Element.of([cst.Name(each[len(_SELF):]) for each in kept], source)
    last = examples.statements[-1] if examples.statements else entry.statement
    attribute = calls.dataset_attribute(scope)
    if not examples.statements and not edits.is_removed(last):
        if not element.is_root(mapped.roots):
            raise Irregular(read, "its result is kept in an object")
        edits.replace(last.targets[0], cst.AssignTarget(cst.Attribute(cst.Name("self"), cst.Name(attribute))))
    else:
        write_map(calls, mapped, last, examples, element, "")
        edits.insert_before(last, lambda: source.parse("self.{} = {}".format(attribute, entry.dataset)))
    dataset = calls.dataset_name(Scope(source, method))
    uses = [each for each in region.in_order(method.body) if names_of(each).read & set(kept)]
    if not uses:
        raise Irregular(read, "its result is kept in an object, and used in a branch or loop of {!r}".format(
            method.name.value))
    edits.insert_before(uses[0], lambda: source.parse("{} = self.{}".format(dataset, attribute)))
    follow(Entry(entry.draft, method, None, Roots(tuple(kept)), False, dataset, makers=tuple(makers)))
    return True
