"""Examples that each branch of an `if` reads and computes by itself, and that code after it batches.

    if kind == "text":                                if kind == "text":
        queue = string_input_producer(texts)              dataset = from_tensor_slices(texts)...
        _, line = TextLineReader().read(queue)            dataset = dataset.flat_map(TextLineDataset)
        image = f(line)                                   dataset = dataset.map(f)
    else:                                             else:
        image = g(...)                                    dataset = ...
    batch = tf.train.batch([image * 2], 8)            dataset = dataset.map(lambda image: image * 2)
"""
from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Tuple

import libcst as cst

from legacy_towers.migrate.source.rewrite.checks import Checks
from legacy_towers.migrate.source.rewrite.drafts import Irregular
from legacy_towers.migrate.source.rewrite.entries import Entry
from legacy_towers.migrate.source.rewrite.examples import Element, Roots
from legacy_towers.migrate.source.rewrite.functions import Calls
from legacy_towers.migrate.source.rewrite.mapping import write_map
from legacy_towers.migrate.source.rewrite.names import names_of, read_first
from legacy_towers.migrate.source.rewrite.origins import branches_of
from legacy_towers.migrate.source.rewrite.region import Examples, Unclear, computing, exits, in_order, region_of
from legacy_towers.migrate.source.rewrite.scope import Scope
from legacy_towers.migrate.source.rewrite.source_stage import SourceStage
from legacy_towers.migrate.source.rewrite.tensors import tensors_of

# Returns the statements of the block of an entry, the number of the first one after the reader, and whether one of them
# takes the examples.
Block = Callable[[Entry], Tuple[List[Any], int, bool]]


class _Branch(NamedTuple):
    stage: SourceStage
    entry: Entry
    examples: Examples
    tensors: List[str]


def read_in_branches(
    calls: Calls, reads: Sequence[Tuple[SourceStage, Entry]], block: Block, own: Sequence[cst.Call]
) -> Optional[Entry]:
    """Writes a dataset in each branch, and returns where code after the `if` gets its examples; None if it is not one.

    Args:
      calls: the functions and calls of the pipeline.
      reads: what is read from each producer.
      block: what is known of the block of an entry.
      own: the calls of the pipeline's producers and readers.

    Raises:
      Irregular: what computes the examples of a branch can't be in Dataset.map.
    """
    first = reads[0][1]
    source, function = first.draft.source, first.function
    if len(reads) < 2 or any(
        entry.draft is not first.draft or entry.function is not function or entry.statement is None
        or entry.dataset != first.dataset for _, entry in reads
    ):
        return None
    found = branches_of(source, [entry.statement for _, entry in reads])
    if found is None or not _all_read(source, found, [entry for _, entry in reads]):
        return None
    statements = in_order(region_of(source, found))
    used = read_first(statements[statements.index(found) + 1 :])
    branches = [_branch(calls, stage, entry, block) for stage, entry in reads]
    names = [{each for each in branch.examples.names if each in used} for branch in branches if branch is not None]
    if len(names) < len(reads) or not names[0] or any(each != names[0] for each in names):
        return None
    order: List[str] = []
    for branch in branches:
        assert branch is not None
        if not names[0] <= set(branch.tensors):
            return None
        order = order or [each for each in branch.tensors if each in names[0]]
    for branch in branches:
        assert branch is not None
        _write(calls, branch, order, own)
    reads[0][0].is_endless = all(stage.is_endless for stage, _ in reads)
    return Entry(first.draft, function, found, Roots(tuple(order)), False, first.dataset)


def _all_read(source: Any, found: cst.If, entries: Sequence[Entry]) -> bool:
    """Returns whether each branch of an `if` reads the examples of one entry, or raises an error."""
    count = 0
    node: Any = found
    while isinstance(node, (cst.If, cst.Else)):
        inside = in_order(node.body)
        here = [each for each in entries if any(each.statement is one for one in inside)]
        if len(here) != 1 and not isinstance(inside[-1], cst.Raise):
            return False
        count += len(here)
        if isinstance(node, cst.If) and node.orelse is None:
            return False
        node = node.orelse if isinstance(node, cst.If) else None
    return count == len(entries)


def _branch(calls: Calls, stage: SourceStage, entry: Entry, block: Block) -> Optional[_Branch]:
    statements, start, is_taken = block(entry)
    checks = Checks(calls.project.knowledge, entry.draft.source)
    if is_taken or entry.roots.is_all:
        return None
    try:
        examples = computing(
            statements, start, len(statements), set(entry.roots.names),
            [entry.statement] if entry.is_computing else [], checks.is_random)
    except Unclear:
        return None
    if any("." in each for each in examples.names) or any(exits(each) for each in examples.statements):
        return None
    scope = Scope(entry.draft.source, entry.function)
    return _Branch(stage, entry, examples, tensors_of(calls, entry, examples, scope))


def _write(calls: Calls, branch: _Branch, order: Sequence[str], own: Sequence[cst.Call]) -> None:
    entry, examples = branch.entry, branch.examples
    source = entry.draft.source
    checks, scope = Checks(calls.project.knowledge, source), Scope(source, entry.function)
    read = names_of(*examples.statements).read - examples.names
    problem = checks.problem_inside(examples.statements, own)
    why = checks.problem_of_captured(read, scope, examples.statements)
    if checks.uses_table(read, scope):
        why = "it computes examples with a table"
    if problem is not None or why is not None:
        raise Irregular(branch.stage.read, *(problem or (why,)))
    last = examples.statements[-1] if examples.statements else entry.statement
    element = Element.of([cst.Name(each) for each in order], source)
    branch.stage.is_mapped |= bool(write_map(calls, entry, last, examples, element, ""))
