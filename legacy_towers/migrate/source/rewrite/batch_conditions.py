"""What batchers take beside the tensors of an example, and an element of the dataset has too: its length, keep_input.

    maybe_batch([a, b], keep, 8)                         ((a, b), keep)
    bucket_by_sequence_length(length, [a, b], 8, [5])    (length, (a, b))
    bucket([a, b], number, 8, 3)                         (number, (a, b))
"""
from typing import Any

import libcst as cst

from legacy_towers.migrate.source.rewrite.drafts import Irregular
from legacy_towers.migrate.source.rewrite.examples import Element
from legacy_towers.migrate.source.rewrite.names import names_of
from legacy_towers.migrate.source.rewrite.scope import Scope
from legacy_towers.migrate.source.rewrite.shapes import batchers, buckets, numbered_buckets
from legacy_towers.migrate.source.rewrite.shapes.producers import Given
from legacy_towers.migrate.source.values import Site


def with_conditions(site: Site, given: Given, tensors: Any, element: Element, scope: Scope) -> Element:
    """Returns the element that a batcher's dataset has.

    Args:
      site: the call of the batcher.
      given: its arguments: parameter -> expression.
      tensors: the expression of its tensors.
      element: the element that these are.
      scope: where the call is.

    Raises:
      Irregular: the source does not show the element.
    """
    chooses = batchers.chooses(given)
    if site.name not in (buckets.NAME, numbered_buckets.NAME) and not chooses:
        return element
    if element.is_many:
        raise Irregular(site, "its keep_input is of many examples (enqueue_many): write it as Dataset.filter, after "
                        "Dataset.unbatch")
    more = [given["keep_input"]] if chooses else []
    parts = [element.text]
    if site.name == buckets.NAME:
        more.insert(0, given["input_length"])
        parts = [scope.code(given["input_length"]), _listed(site, tensors, element)]
    elif site.name == numbered_buckets.NAME:
        if "which_bucket" not in given:
            raise Irregular(site, "its which_bucket is not in its call")
        more.insert(0, given["which_bucket"])
        parts = [scope.code(given["which_bucket"]), element.text]
    if chooses:
        parts.append(scope.code(given["keep_input"]))
    return Element(tuple(parts), element.names | names_of(*more).read, size=len(parts),
                   example=element.parts)


def _listed(site: Site, tensors: Any, element: Element) -> str:
    """Returns an example as its tensors are given back: as a tuple also where it has one tensor."""
    is_list = isinstance(tensors, (cst.List, cst.Tuple))
    if is_list and element.size == 1:
        return "({},)".format(element.text)
    if isinstance(tensors, cst.Dict) and len(tensors.elements) == 1:
        raise Irregular(site, "its tensors are a dict of one, which it gives back with a list in it: batch a list")
    if not is_list and element.text.endswith("[0]"):
        raise Irregular(site, "its tensors are a list that is made elsewhere: write the list in its call")
    return element.text
