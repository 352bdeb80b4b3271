"""What callers pass to a function that makes a queue, such as names of files in a variable.

    def inputs(files):                                      def inputs(files):
        queue = tf.train.string_input_producer(files)           dataset = tf.data.Dataset.from_tensor_slices(files)

    inputs(tf.train.match_filenames_once(pattern))          inputs(tf.matching_files(pattern))
"""
from typing import Any, List, Sequence, Tuple

import libcst as cst

from legacy_towers.migrate.source.rewrite.checks import Checks
from legacy_towers.migrate.source.rewrite.drafts import Draft, Irregular
from legacy_towers.migrate.source.rewrite.functions import Calls, uses_of
from legacy_towers.migrate.source.rewrite.names import names_of, parameters
from legacy_towers.migrate.source.rewrite.scope import Scope
from legacy_towers.migrate.source.rewrite.shapes.producers import is_matched
from legacy_towers.migrate.source.rewrite.syntax import arguments
from legacy_towers.migrate.source.values import Site


def check_passed(calls: Calls, site: Site, scope: Scope, nodes: Sequence[Any]) -> None:
    """Checks what callers pass for the parameters that the arguments of a producer read.

    `match_filenames_once`, whose variable a dataset can't capture, becomes `matching_files`, which it is computed by.

    Args:
      calls: the functions and calls of the pipeline.
      site: the producer.
      scope: the function that makes it.
      nodes: the expressions of its arguments.

    Raises:
      Irregular: a caller passes a variable, for example.
    """
    waiting: List[Tuple[Scope, str]] = [(scope, each) for each in sorted(names_of(*nodes).read)]
    seen = set()
    while waiting:
        here, name = waiting.pop()
        function = here.function
        if function is None or name not in parameters(function) or (function, name) in seen:
            continue
        seen.add((function, name))
        draft = calls.draft(here.source.path)
        for there, call in calls.callers_of(draft, function):
            order = parameters(function)
            given = arguments(call, order[1:] if order[:1] == ["self"] else order) or {}
            if name not in given:
                continue
            value = given[name]
            caller = Scope(there.source, there.source.function(call))
            if is_matched(caller.resolved(value)):
                _match(site, there, caller, value)
                continue
            checks = Checks(calls.project.knowledge, there.source)
            read = names_of(value).read
            why = checks.problem_of_value(value) or checks.problem_of_captured(read, caller, [value])
            if why is not None:
                raise Irregular(site, why, there.source.line(call))
            waiting += [(caller, each) for each in sorted(read)]


def _match(site: Site, draft: Draft, scope: Scope, value: Any) -> None:
    source = draft.source
    call = scope.resolved(value)
    body = scope.function.body if scope.function is not None else source.module
    if len(call.args) != 1 or isinstance(value, cst.Name) and len(uses_of(source, body, value.value)) != 1:
        raise Irregular(site, "it reads names of files that match_filenames_once keeps in a variable, and that are "
                        "also used elsewhere: match them by tf.gfile.Glob", source.line(value))
    tensorflow = scope.tensorflow()
    if tensorflow is None:
        raise Irregular(site, "{} does not import tensorflow as a whole".format(source.path))
    draft.edits.replace(call.func, cst.parse_expression("{}.matching_files".format(tensorflow)))
