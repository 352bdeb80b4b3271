"""One file with what its calls mean, and the changes that are collected for it."""
from typing import Any, Dict, List, Optional, Set, Tuple

import libcst as cst

from legacy_towers.migrate.source.project import Project
from legacy_towers.migrate.source.rewrite.controls.blocks import Changes
from legacy_towers.migrate.source.rewrite.controls.variables import Variables
from legacy_towers.migrate.source.rewrite.drafts import Draft
from legacy_towers.migrate.source.values import Site


class ControlFile:
    """A file of the program.

    Args:
      draft: the file and its edits.
      project: the project.

    Attributes:
      source: its libcst tree.
      changes: what is to be changed.
      variables: the variables of its functions.
    """

    def __init__(self, draft: Draft, project: Project) -> None:
        self.source = draft.source
        self.edits = draft.edits
        self.changes = Changes(draft.edits)
        # Statement, list or call of tf.group -> the initializers that are taken from it.
        self.removals: Dict[Any, List[Any]] = {}
        self.variables = Variables(draft.source.module, draft.source.parents)
        self._api_names = project.knowledge.api_names
        self._sites: Dict[cst.Call, List[Site]] = {}
        for site in project.sites:
            if site.path == self.source.path:
                call = self.source.call(site)
                if call is not None:
                    self._sites.setdefault(call, []).append(site)

    def sites(self, call: cst.Call) -> List[Site]:
        """Returns the calls of queues that a call may be."""
        return self._sites.get(call, [])

    def names(self, call: cst.Call) -> Set[str]:
        """Returns the names of TensorFlow's API that a call may call."""
        found = {site.name for site in self.sites(call)}
        line, column = self.source.key(call)
        return found | self._api_names.get((self.source.path, line, column), set())

    def calls(self, name: str) -> List[cst.Call]:
        """Returns the calls that can only be of the queue function `name`, in their order."""
        return [call for call, sites in self._sites.items() if {site.name for site in sites} == {name}]

    def method_call(self, node: cst.CSTNode) -> Optional[Tuple[str, cst.Call]]:
        """Returns (method, call) where `node` is the object that a method is called on."""
        attribute = self.source.parents.get(node)
        if not isinstance(attribute, cst.Attribute) or attribute.value is not node:
            return None
        call = self.source.parents.get(attribute)
        if not isinstance(call, cst.Call) or call.func is not attribute:
            return None
        return attribute.attr.value, call

    def argument_of(self, node: cst.CSTNode) -> Optional[Tuple[cst.Call, cst.Arg]]:
        """Returns (call, argument) where `node` is passed to a call as it is."""
        argument = self.source.parents.get(node)
        if not isinstance(argument, cst.Arg) or argument.value is not node or argument.star:
            return None
        call = self.source.parents.get(argument)
        return (call, argument) if isinstance(call, cst.Call) else None

    def assigned(self, node: cst.CSTNode) -> Optional[cst.Assign]:
        """Returns the assignment of which `node` is the only target."""
        target = self.source.parents.get(node)
        if not isinstance(target, cst.AssignTarget):
            return None
        statement: Any = self.source.parents[target]
        return statement if isinstance(statement, cst.Assign) and len(statement.targets) == 1 else None

    def is_statement(self, node: cst.CSTNode) -> bool:
        """Returns whether an expression is a statement: its value is not used."""
        return isinstance(self.source.parents.get(node), cst.Expr)
