"""Attributes of an object that are of one example, and that nothing but its batch reads: variables take their place.

    self.length = tf.size(value)                                 def parse(value):
    self.lengths = tf.train.batch([self.length], 8)                  length = tf.size(value)
"""
import os
import re
from typing import Any, Iterator, Sequence, Tuple

import libcst as cst

from legacy_towers.migrate.source.rewrite.drafts import Irregular
from legacy_towers.migrate.source.rewrite.entries import Entry
from legacy_towers.migrate.source.rewrite.examples import Element
from legacy_towers.migrate.source.rewrite.functions import Calls
from legacy_towers.migrate.source.rewrite.names import is_of_self, names_of
from legacy_towers.migrate.source.rewrite.region import Examples
from legacy_towers.migrate.source.rewrite.scope import Scope
from legacy_towers.migrate.source.rewrite.syntax import Source
from legacy_towers.migrate.source.rewrite.taken import attributes_of
from legacy_towers.migrate.source.values import Site

_SELF = "self."


def name_locally(calls: Calls, entry: Entry, examples: Examples, sink: Any, kept: Sequence[str], read: Site) -> None:
    """Makes attributes that are of an example variables in the statements that are moved.

    Args:
      calls: the functions and calls of the pipeline.
      entry: where the method gets examples.
      examples: the statements that are moved.
      sink: the statement that takes the examples.
      kept: the attributes, such as "self.length".
      read: the call that reads.

    Raises:
      Irregular: an attribute is used elsewhere, or a variable has its name.
    """
    source, edits = entry.draft.source, entry.draft.edits
    own = list(examples.statements) + [sink]
    taken = set().union(*(names_of(each).bound | names_of(each).read for each in own)) | set(entry.roots.names)
    for name in kept:
        local = name[len(_SELF) :]
        if local in taken:
            raise Irregular(read, "the variable {!r} and the attribute {!r} have different values".format(local, name))
        for there, each in uses_in_project(calls, source, local):
            statement = there.statement(each)
            is_own = there is source and is_of_self(each) and any(
                one is other for one in [statement] + there.above(statement) for other in own
            )
            if not is_own:
                raise Irregular(read, "{!r} is of one example, and is also used elsewhere{}".format(
                    name, in_file(there, source)), there.line(each))
            if statement is not sink:
                edits.replace(each, cst.Name(local))


def in_file(there: Source, here: Source) -> str:
    """Returns ", in inputs.py" for the place of a line in another file, as the end of a reason."""
    return "" if there is here else ", in {}".format(os.path.relpath(there.path))


def uses_in_project(calls: Calls, source: Source, attribute: str) -> Iterator[Tuple[Source, cst.Attribute]]:
    """Yields the uses of attributes of a name in the files of a project and in `source`, without TensorFlow's names."""
    for path in sorted(set(calls.project.knowledge.calls) | {source.path}):
        there = calls.draft(path).source
        tf = "{}.".format(Scope(there, None).tensorflow())
        for each in attributes_of(there.module, attribute):
            if not (there.code(each.value) + ".").startswith(tf):
                yield there, each


def named_locally(element: Element, kept: Sequence[str]) -> Element:
    """Returns an element whose attributes `kept` are variables."""
    parts = list(element.parts)
    for name in kept:
        parts = [re.sub(r"\b{}\b".format(re.escape(name)), name[len(_SELF) :], each) for each in parts]
    return element.with_parts(parts)
