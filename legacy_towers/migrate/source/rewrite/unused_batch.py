"""Batches that nothing reads, of examples that are fetched one by one: the batch goes, and its queue takes none away.

    image_batch = tf.train.shuffle_batch([image], 8, 1000, 100)      removed
    print(session.run(image))                                        the next element of the dataset
"""
from typing import Any, List

import libcst as cst

from legacy_towers.migrate.source.pipelines import Pipeline
from legacy_towers.migrate.source.rewrite.controls.variables import Variables
from legacy_towers.migrate.source.rewrite.functions import Calls, uses_of
from legacy_towers.migrate.source.rewrite.names import names_of, targets
from legacy_towers.migrate.source.rewrite.shapes import batchers
from legacy_towers.migrate.source.values import Site

_BY_NAME = b"_by_name"


def without_unused_batches(pipeline: Pipeline, calls: Calls) -> Pipeline:
    """Returns a pipeline without its batchers, and removes them, if nothing reads their batches.

    A pipeline with batches that are read, or whose examples nothing else reads, stays as it is.
    """
    sites = [site for site in pipeline.sites if site.name in batchers.PARAMETERS]
    # A batch may be fetched by the name of its tensor.
    is_named = any(_BY_NAME in file.source for file in calls.project.files.values())
    if not sites or is_named or not all(_is_unused(calls, site) for site in sites):
        return pipeline
    for site in sites:
        draft = calls.draft(site.path)
        draft.edits.remove(draft.source.statement(calls.call(site)))
    return pipeline._replace(sites=[each for each in pipeline.sites if each not in sites])


def _is_unused(calls: Calls, site: Site) -> bool:
    """Returns whether nothing reads what a batcher gives, and code after it reads what it takes."""
    source = calls.draft(site.path).source
    call = calls.call(site)
    statement = source.statement(call)
    bound = targets(statement)
    if not bound or statement.value is not call or not all(isinstance(each, cst.Name) for each in bound):
        return False
    function = source.function(call)
    variables = Variables(source.module, source.parents)
    for each in bound:
        variable = variables.of(each)
        if variable is None or any(use not in bound for use in variable.uses) or function is None and (
            calls.is_used_outside(site.path, each.value)
        ):
            return False
    body: Any = function.body if function is not None else source.module
    tensors: List[Any] = [each.value for each in call.args[:1]]
    last = source.positions[call].end.line
    return any(source.line(use) > last for name in names_of(*tensors).read for use in uses_of(source, body, name)
               if isinstance(source.parents[use], (cst.Arg, cst.Element)))
