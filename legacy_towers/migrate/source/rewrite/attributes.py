"""Attributes of an object that hold one example, and that nothing but its batch reads: variables take their place.

    self.length = tf.size(value)                                 def parse(value):
    self.lengths = tf.train.batch([self.length], 8)                  length = tf.size(value)
"""
import os
import re
from typing import Any, Dict, Iterator, List, Sequence, Tuple

import libcst as cst

from legacy_towers.migrate.source.rewrite.drafts import Irregular
from legacy_towers.migrate.source.rewrite.entries import Entry
from legacy_towers.migrate.source.rewrite.examples import Element
from legacy_towers.migrate.source.rewrite.families import class_around, is_of_another
from legacy_towers.migrate.source.rewrite.functions import Calls
from legacy_towers.migrate.source.rewrite.names import is_of_self, names_of
from legacy_towers.migrate.source.rewrite.region import Examples
from legacy_towers.migrate.source.rewrite.scope import Scope
from legacy_towers.migrate.source.rewrite.syntax import Source
from legacy_towers.migrate.source.rewrite.taken import attributes_of
from legacy_towers.migrate.source.values import Site

_SELF = "self."


def name_locally(
    calls: Calls, entry: Entry, examples: Examples, sink: Any, kept: Sequence[str], read: Site
) -> Dict[str, str]:
    """Makes attributes that are of an example variables in the statements that are moved; returns their names.

    Args:
      calls: the functions and calls of the pipeline.
      entry: where the method gets examples.
      examples: the statements that are moved.
      sink: the statement that takes the examples.
      kept: the attributes, such as "self.length".
      read: the call that reads.

    Raises:
      Irregular: an attribute is used elsewhere.
    """
    source, edits = entry.draft.source, entry.draft.edits
    own = list(examples.statements) + [sink]
    taken = set().union(*(names_of(each).bound | names_of(each).read for each in own)) | set(entry.roots.names)
    scope = Scope(source, entry.function)
    variables = {}
    for name in kept:
        attribute = name[len(_SELF) :]
        local = variables[name] = attribute if attribute not in taken else scope.fresh("example_" + attribute)
        for there, each in uses_in_project(calls, source, attribute, entry.function):
            statement = there.statement(each)
            around = [statement] + there.above(statement)
            is_own = there is source and is_of_self(each) and any(
                one is other for one in around for other in own + [entry.statement] + list(entry.makers))
            if not is_own:
                raise Irregular(read, "{!r} holds one example, and is also used elsewhere{}".format(
                    name, in_file(there, source)), there.line(each))
            if any(one is other for one in around for other in examples.statements):
                edits.replace(each, cst.Name(local))
    return variables


def in_file(there: Source, here: Source) -> str:
    """Returns ", in inputs.py" for the place of a line in another file, as the end of a reason."""
    return "" if there is here else ", in {}".format(os.path.relpath(there.path))


def uses_in_project(
    calls: Calls, source: Source, attribute: str, place: Any
) -> Iterator[Tuple[Source, cst.Attribute]]:
    """Yields where a project may use an attribute of an object.

    These are all attributes of the name, without TensorFlow's names and those of `self` in unrelated classes.

    Args:
      calls: the functions and calls of the pipeline.
      source: the file of the class.
      attribute: the name.
      place: code of the class.
    """
    owner = class_around(source, place)
    for path in sorted(set(calls.project.knowledge.calls) | {source.path}):
        there = calls.draft(path).source
        tf = "{}.".format(Scope(there, None).tensorflow())
        for each in attributes_of(there.module, attribute):
            if not (there.code(each.value) + ".").startswith(tf) and not is_of_another(
                calls.families(), there, each, owner, source
            ):
                yield there, each


def attributes_of_class(calls: Calls, source: Source, target: cst.Attribute) -> List[cst.Attribute]:
    """Returns the other uses of an attribute in its file, without those of `self` in unrelated classes."""
    found = attributes_of(source.module, target.attr.value)
    owner = class_around(source, target)
    return [each for each in found if each is not target and not is_of_another(calls.families(), source, each, owner)]


def named_locally(element: Element, variables: Dict[str, str]) -> Element:
    """Returns an element whose attributes are variables."""
    parts = list(element.parts)
    for name, local in variables.items():
        parts = [re.sub(r"\b{}\b".format(re.escape(name)), local, each) for each in parts]
    return element.with_parts(parts)


def with_variables(entry: Entry, variables: Dict[str, str]) -> Entry:
    """Returns where examples come from, with variables for the attributes that they were."""
    names = tuple(variables.get(each, each) for each in entry.roots.names)
    return entry._replace(roots=entry.roots._replace(names=names))
