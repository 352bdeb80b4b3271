"""Lists of examples that are passed to a function which joins them.

    def batches(examples, size):                         def batches(dataset, size):
        joined = []                                          def parse(image, words):
        for image, words in examples:                            return image, words, tf.size(words)
            joined.append([image, words, tf.size(words)])
        return batch_join(joined, size)                      dataset = dataset.map(parse).batch(size)

    batches([read(queue) for _ in range(4)], 8)          batches(dataset, 8)
"""
from typing import Any, Callable, List, NamedTuple, Optional, Tuple

import libcst as cst

from legacy_towers.migrate.source.rewrite.drafts import Draft, Irregular
from legacy_towers.migrate.source.rewrite.examples import Element, Roots, returns_of
from legacy_towers.migrate.source.rewrite.functions import Calls, Defined, uses_of
from legacy_towers.migrate.source.rewrite.names import names_of, parameters
from legacy_towers.migrate.source.rewrite.scope import Scope
from legacy_towers.migrate.source.rewrite.syntax import arguments
from legacy_towers.migrate.source.values import Site


class Passed(NamedTuple):
    """A parameter that is a list of examples.

    Attributes:
      site: the call that joins them.
      defined: the function.
      parameter: its parameter.
      target: what a loop over the list binds to each example; None: the list itself is joined.
    """

    site: Site
    defined: Defined
    parameter: str
    target: Any

    def roots(self, element: Element, is_dict: bool) -> Roots:
        """Returns the names of an example in the function.

        Args:
          element: what callers put into the list.
          is_dict: whether that is a dict.

        Raises:
          Irregular: the loop does not give names to the parts of an example.
        """
        is_all = element.size > 1 or element.is_all
        if self.target is None:
            return Roots((self.parameter,), is_all, is_dict)
        nodes: List[Any] = [self.target]
        if isinstance(self.target, (cst.Tuple, cst.List)):
            nodes = [each.value for each in self.target.elements]
        elif is_all or is_dict:
            return Roots((self.target.value,), is_all, is_dict)
        if nodes == [self.target] or element.is_all or len(nodes) != element.size or not all(
            isinstance(each, cst.Name) for each in nodes
        ):
            raise Irregular(self.site, "the source does not show the parts of the examples that {!r} gets".format(
                self.defined.function.name))
        return Roots(tuple(each.value for each in nodes))


def passed_list(calls: Calls, site: Site, draft: Draft, call: cst.Call, tensors: Any, target: Any) -> Optional[Passed]:
    """Returns the parameter that a join takes its list from; None if the list is not a parameter.

    Args:
      calls: the functions and calls of the pipeline.
      site, call: the call that joins.
      draft: its file.
      tensors: the name of the list that it joins, or that a loop goes over.
      target: what the loop binds; None without a loop.

    Raises:
      Irregular: the function uses the list for something else, too.
    """
    function = draft.source.function(call)
    if function is None or not isinstance(tensors, cst.Name) or tensors.value not in parameters(function):
        return None
    name = tensors.value
    if name in names_of(*function.body.body).bound:
        return None
    return Passed(site, calls.of_node(draft, function), name, target)


def lists_of_callers(calls: Calls, passed: Passed) -> List[Tuple[Draft, cst.Call, Any]]:
    """Returns the calls of a function that joins a list, with their files and the expressions of the list.

    Raises:
      Irregular: a call does not show the list.
    """
    order = parameters(passed.defined.node)[1 if passed.defined.is_method else 0 :]
    found = []
    for draft, call in calls.callers(passed.defined):
        given = arguments(call, order)
        if given is None or passed.parameter not in given:
            raise Irregular(passed.site, "the source does not show the list that {!r} joins".format(
                passed.defined.function.name), draft.source.line(call))
        found.append((draft, call, given[passed.parameter]))
    return found


def returned_list(
    calls: Calls, draft: Draft, call: cst.Call, tensors: Any, is_joined: Callable[[Any], bool]
) -> Optional[Tuple[Defined, cst.Return]]:
    """Returns the function that returns the list which a call joins, with its only return statement, or None.

    Args:
      calls: the functions and calls of the pipeline.
      draft, call, tensors: the call that joins, and the name of its list.
      is_joined: returns whether a use of the name is that of a join.
    """
    source = draft.source
    function = source.function(call)
    if not isinstance(tensors, cst.Name):
        return None
    values = Scope(source, function).assigned(tensors.value)
    defined = calls.function_of(draft, values[0]) if len(values) == 1 and isinstance(values[0], cst.Call) else None
    uses = uses_of(source, function.body if function is not None else source.module, tensors.value)
    found = returns_of(defined.node) if defined is not None else []
    if defined is None or len(found) != 1 or found[0].value is None or not all(is_joined(each) for each in uses):
        return None
    return defined, found[0]


def why_not_shown(draft: Draft, call: cst.Call, value: Any) -> str:
    """Returns why a list of examples that a call passes to a function can't be followed, as a clause."""
    function = draft.source.function(call)
    if function is not None and isinstance(value, cst.Name) and value.value in parameters(function):
        return "its list of examples is passed on by another function: join the list in the function that gets it first"
    return "the source does not show that examples of the list that it gets are made alike, and nothing else uses it"


def check_only_joined(passed: Passed, uses: List[Any]) -> None:
    """Raises Irregular if a function uses its list of examples for something else, at `uses`, than to join it."""
    if uses:
        raise Irregular(passed.site, "{!r} uses the list that it joins for something else, too".format(
            passed.defined.function.name), passed.defined.draft.source.line(uses[0]))


def uses_of_list(passed: Passed) -> List[Any]:
    """Returns where a function reads its list of examples."""
    return list(uses_of(passed.defined.draft.source, passed.defined.node.body, passed.parameter))
