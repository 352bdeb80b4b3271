"""Readers that a script makes and never reads with."""
from typing import Callable

import libcst as cst

from legacy_towers.migrate.source.pipelines import Pipeline
from legacy_towers.migrate.source.rewrite.controls.variables import Variables
from legacy_towers.migrate.source.rewrite.drafts import Draft
from legacy_towers.migrate.source.rewrite.shapes import readers
from legacy_towers.migrate.source.values import Site


def remove_unused(pipeline: Pipeline, draft: Callable[[str, Site], Draft]) -> bool:
    """Removes the reader that a pipeline is, if nothing uses it; returns whether that is so.

    Args:
      pipeline: the pipeline.
      draft: returns the draft of a file.
    """
    if len(pipeline.sites) != 1 or pipeline.sites[0].name not in readers.PARAMETERS:
        return False
    site = pipeline.sites[0]
    file = draft(site.path, site)
    call = file.source.call(site)
    statement = file.source.statement(call) if call is not None else None
    if not isinstance(statement, cst.Assign) or statement.value is not call or len(statement.targets) != 1:
        return False
    target = statement.targets[0].target
    variable = Variables(file.source.module, file.source.parents).of(target) if isinstance(target, cst.Name) else None
    if variable is None or any(use is not target for use in variable.uses):
        return False
    file.edits.remove(statement)
    return True
