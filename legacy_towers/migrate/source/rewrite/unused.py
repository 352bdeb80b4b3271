"""Readers that a script makes and never reads with, and queues of file names that nothing reads."""
from typing import Any, Callable

import libcst as cst

from legacy_towers.migrate.source.pipelines import Pipeline
from legacy_towers.migrate.source.rewrite.checks import calls_in
from legacy_towers.migrate.source.rewrite.controls.variables import Variables
from legacy_towers.migrate.source.rewrite.drafts import Draft
from legacy_towers.migrate.source.rewrite.names import dotted
from legacy_towers.migrate.source.rewrite.shapes import producers, readers
from legacy_towers.migrate.source.values import Site

# Calls without an effect that names of files are made by.
_NAMES = ("format", "join", "list", "sorted", "glob", "Glob", "listdir", "len", "range", "str", "match_filenames_once")


def remove_unused(pipeline: Pipeline, draft: Callable[[str, Site], Draft]) -> bool:
    """Removes the reader or producer that a pipeline is, if nothing uses it; returns whether that is so.

    Args:
      pipeline: the pipeline.
      draft: returns the draft of a file.
    """
    site = pipeline.sites[-1]
    # The names of a producer's files may be matched by a call of the pipeline.
    others = [each for each in pipeline.sites if each is not site and each.name != "tf.match_filenames_once"]
    is_made = site.name in readers.PARAMETERS or site.name in producers.PARAMETERS and site.name != producers.LIMIT
    if others or not is_made:
        return False
    file = draft(site.path, site)
    call = file.source.call(site)
    if call is None:
        return False
    statement = file.source.statement(call)
    if not _is_only_made(file, statement, call):
        return False
    inside = [each for each in calls_in(statement) if each is not call]
    matched = [each for each in pipeline.sites if each is not site]
    if any(dotted(each.func).rpartition(".")[2] not in _NAMES for each in inside) or any(
        each.path != site.path or file.source.call(each) not in inside for each in matched
    ):
        return False
    file.edits.remove(statement)
    return True


def _is_only_made(file: Draft, statement: Any, call: cst.Call) -> bool:
    """Returns whether a statement makes a reader or queue, and nothing uses it."""
    if isinstance(statement, cst.Expr):
        return statement.value is call
    if not isinstance(statement, cst.Assign) or statement.value is not call or len(statement.targets) != 1:
        return False
    target = statement.targets[0].target
    variable = Variables(file.source.module, file.source.parents).of(target) if isinstance(target, cst.Name) else None
    return variable is not None and all(use is target for use in variable.uses)
