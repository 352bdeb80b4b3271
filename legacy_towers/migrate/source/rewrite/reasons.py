"""Reasons why queues and readers that objects, dicts and lists keep are not rewritten."""
from typing import Any, Dict, Optional

import libcst as cst

from legacy_towers.migrate.source.project import Project
from legacy_towers.migrate.source.queue_api import PRODUCERS
from legacy_towers.migrate.source.rewrite.names import is_of_self
from legacy_towers.migrate.source.rewrite.origins import READ
from legacy_towers.migrate.source.values import Site

_KINDS: Dict[Any, str] = {
    cst.Attribute: "an object", cst.Subscript: "a dict or list", cst.Tuple: "a tuple", cst.List: "a list",
}


def why_kept(what: str, source: Any, statement: Any) -> str:
    """Returns where a statement keeps something that a variable should have: "its queue is kept in a dict or list".

    Args:
      what: what is kept.
      source: the file.
      statement: the statement that makes it.
    """
    target = statement.targets[0].target if isinstance(statement, cst.Assign) else None
    kind = _KINDS.get(type(target))
    if kind is None:
        return "{} is not bound to a variable".format(what)
    return "{} is kept in {}, {}: bind it to a variable".format(what, kind, source.code(target).strip())


def why_shared(project: Project, reader: Site, source: Any, call: cst.Call) -> Optional[str]:
    """Returns that a reader which an object keeps reads several queues, None if it does not.

    Such a reader goes on with the file that it has of one queue when it reads from another one: examples of both are
    mixed, and a dataset of each would read others.

    Args:
      project: the project.
      reader: the call that makes the reader.
      source: its file.
      call: the node of this call.
    """
    statement = source.statement(call)
    target = statement.targets[0].target if isinstance(statement, cst.Assign) else None
    if not is_of_self(target):
        return None
    queues = set()
    for site in project.sites:
        found = project.sources(site) if site.name == READ else []
        if reader in found:
            queues |= {each for each in found if each.name in PRODUCERS}
    if len(queues) < 2:
        return None
    return "its reader, {}, reads from {} queues, and mixes their files, since it goes on with the file that it has " \
           "of another queue: make a reader for each queue".format(source.code(target).strip(), len(queues))
