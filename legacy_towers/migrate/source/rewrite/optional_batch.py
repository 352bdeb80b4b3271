"""Examples that an `if` batches, and that code after it takes as they are where it does not.

    rows = reader.read_up_to(queue, 40)[1]          dataset = dataset.flat_map(lambda name: ....batch(40))
    features = parse(rows)                          if shuffle:
    if shuffle:                                         dataset = dataset.map(parse).unbatch().shuffle(400).batch(40)
        features = shuffle_batch(features, ...)         features = make_one_shot_iterator(dataset).get_next()
    loss = model(features)                          else:
                                                        rows = make_one_shot_iterator(dataset).get_next()
                                                        features = parse(rows)
                                                    loss = model(features)
"""
from typing import Any, Callable, List, Sequence, Set

import libcst as cst

from legacy_towers.migrate.source.rewrite.batch_stage import Batch, BatchStage
from legacy_towers.migrate.source.rewrite.checks import calls_in
from legacy_towers.migrate.source.rewrite.drafts import Irregular
from legacy_towers.migrate.source.rewrite.entries import Entry
from legacy_towers.migrate.source.rewrite.examples import Element
from legacy_towers.migrate.source.rewrite.names import names_of, read_first, targets
from legacy_towers.migrate.source.rewrite.region import Examples, in_order
from legacy_towers.migrate.source.rewrite.scope import Scope


def optional_batch(
    entry: Entry, statement: Any, batches: Sequence[Batch], element: Element, examples: Examples, after: Sequence[Any]
) -> List[cst.Assign]:
    """Returns the assignments that batch where a statement leaves examples as they are in another branch, else none.

    Args:
      entry: where the examples come from.
      statement: the statement that batches.
      batches: its calls that batch.
      element: what they batch.
      examples: what computes it.
      after: the statements after it.

    Raises:
      Irregular: code after the statement reads an example that is not batched in one of the branches.
    """
    source = entry.draft.source
    if not isinstance(statement, cst.If) or not batches:
        return []
    calls = [call for _, call in batches]
    own: Set[str] = set(entry.roots.names)
    for each in examples.statements:
        own |= names_of(each).bound
    single = names_of(statement).bound & own & read_first(after)
    if not single or _always(statement, lambda each: any(call is one for call in calls for one in calls_in(each))):
        return []
    found: List[cst.Assign] = []
    node: Any = statement
    while isinstance(node, cst.If):
        body = in_order(node.body)
        batch, before = body[-1], names_of(*body[:-1])
        is_batch = isinstance(batch, cst.Assign) and any(batch.value is call for call in calls) and not (
            (before.read | before.bound | before.changed) & own)
        if not is_batch or not element.is_targets(targets(batch), source):
            break
        found.append(batch)
        node = node.orelse
    if node is not None or len(found) != len(calls):
        raise Irregular(batches[0][0], "{!r} is one example where the `if` does not batch, and is read after it".format(
            sorted(single)[0]), source.line(statement))
    return found


def write_optional(
    batchers: BatchStage, entry: Entry, statement: Any, found: Sequence[cst.Assign], batches: Sequence[Batch],
    example: str, tf: str
) -> None:
    """Writes the batches of the dataset in the branch, and one of its elements in another branch.

    Args:
      batchers: the batchers.
      entry: where the examples come from.
      statement: the `if`.
      found: what `optional_batch` returned.
      batches: the calls that batch.
      example: the expression of an example, "" where it is an element of the dataset.
      tf: what TensorFlow is called.
    """
    source, edits = entry.draft.source, entry.draft.edits
    if batchers.is_initialized:
        raise Irregular(batches[0][0], "it computes examples with a table, and batches them in one branch only",
                        source.line(statement))
    for site, call in batches:
        batchers.write(entry, site, call, Scope(source, entry.function), source.block(source.statement(call)))
    target = source.code(found[0].targets[0].target)
    lines = ["{0} = {0}.prefetch(1)".format(entry.dataset)] if batchers.prefetches(entry) else []
    lines.append("{} = {}.data.make_one_shot_iterator({}).get_next()".format(
        ", ".join(entry.roots.names) if example else target, tf, entry.dataset))
    lines += ["{} = {}".format(target, example)] if example else []

    def with_other_branch(node: cst.If) -> cst.If:
        return node.with_changes(orelse=cst.Else(cst.IndentedBlock(source.parse("\n".join(lines)))))

    last = statement
    while last.orelse is not None:
        last = last.orelse
    edits.replace(last, with_other_branch)


def _always(statement: Any, batches: Callable[[Any], bool]) -> bool:
    """Returns whether a statement batches whatever its conditions are, or leaves the block."""
    if not isinstance(statement, cst.If):
        return isinstance(statement, (cst.Return, cst.Raise)) or batches(statement)
    branches = [statement.body]
    node: Any = statement.orelse
    if node is None:
        return False
    rest = _always(node, batches) if isinstance(node, cst.If) else None
    if rest is None:
        branches.append(node.body)
    elif not rest:
        return False
    return all(any(_always(each, batches) for each in in_order(branch)) for branch in branches)
