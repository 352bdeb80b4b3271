"""Summaries of the sizes of queues, which go with the queues.

    fraction = tf.cast(queue.size(), tf.float32) / capacity     goes, if only summaries read it
    tf.summary.scalar("queue_fraction", fraction)               goes
"""
from typing import Any, List, Optional, Set

import libcst as cst

from legacy_towers.migrate.source.pipelines import Pipeline
from legacy_towers.migrate.source.project import Project
from legacy_towers.migrate.source.rewrite.controls.variables import Variables
from legacy_towers.migrate.source.rewrite.drafts import Draft
from legacy_towers.migrate.source.rewrite.functions import Calls
from legacy_towers.migrate.source.rewrite.summary_names import SUMMARIES
from legacy_towers.migrate.source.values import Site

_SIZE = "tf.QueueBase.size"
_MERGES = ("tf.summary.merge_all", "tf.merge_all_summaries", "tf.contrib.deprecated.merge_all_summaries")


def without_size_summaries(project: Project, pipeline: Pipeline, calls: Calls) -> Pipeline:
    """Removes the statements that summarize the sizes of a pipeline's queues, and returns it without these calls.

    A size that something else reads stays, and so do all where no other summary would be left to merge.
    """
    going: List[Any] = []
    gone: Set[Site] = set()
    for site in pipeline.sites:
        if site.name == _SIZE:
            found = _statements(project, calls, site)
            if found is not None:
                gone.add(site)
                going += [(site.path, each) for each in found if (site.path, each) not in going]
    if not gone or not _are_others(project, calls, going):
        return pipeline
    for path, statement in going:
        calls.draft(path).edits.remove(statement, with_comments=True)
    return pipeline._replace(sites=[site for site in pipeline.sites if site not in gone])


def is_summarized(draft: Draft, use: cst.CSTNode) -> bool:
    """Returns whether a name of a queue is in the removed summary of its size: `queue.size()`, `queue.name`."""
    above = draft.source.parents[use]
    is_of_summary = isinstance(above, cst.Attribute) and above.attr.value in ("name", "size")
    return is_of_summary and draft.edits.is_removed(draft.source.statement(use))


def _statements(project: Project, calls: Calls, site: Site) -> Optional[List[Any]]:
    """Returns the statements that the size of a queue is read for, None if not all of them are summaries."""
    source = calls.draft(site.path).source
    variables = Variables(source.module, source.parents)
    found: List[Any] = []
    waiting: List[Any] = [calls.call(site)]
    while waiting:
        statement = source.statement(waiting.pop())
        if statement in found:
            continue
        found.append(statement)
        if isinstance(statement, cst.Expr) and _is_summary(project, source, statement.value):
            continue
        target: Any = statement.targets[0].target if (
            isinstance(statement, cst.Assign) and len(statement.targets) == 1
        ) else None
        variable = variables.of(target) if isinstance(target, cst.Name) else None
        if variable is None:
            return None
        assigned = [each for each in variable.uses if isinstance(source.parents[each], cst.AssignTarget)]
        if assigned != [target]:
            return None
        waiting += [each for each in variable.uses if each is not target]
    return found


def _is_summary(project: Project, source: Any, node: Any) -> bool:
    if not isinstance(node, cst.Call):
        return False
    names = project.knowledge.api_names.get((source.path,) + source.key(node), set())
    return bool(names) and all(name in SUMMARIES for name in names)


def _are_others(project: Project, calls: Calls, going: List[Any]) -> bool:
    """Returns whether there are other summaries, or nothing merges all of them: merge_all gives None without any."""
    places = set()
    for path, statement in going:
        source = calls.draft(path).source
        if isinstance(statement, cst.Expr) and isinstance(statement.value, cst.Call):
            places.add((path,) + source.key(statement.value))
    names = project.knowledge.api_names
    merged = any(name in _MERGES for found in names.values() for name in found)
    return not merged or any(
        name in SUMMARIES for place, found in names.items() if place not in places for name in found
    )
