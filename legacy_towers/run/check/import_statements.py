"""Reads the import statements of one file."""
import ast
from typing import Optional

from legacy_towers.run.check.expressions import ExpressionReader
from legacy_towers.run.check.findings import KERAS, NOTHING

# Modules that are tracked because version checks use them, or because they import by name.
_TRACKED = ("sys", "six", "importlib")


class ImportReader(ExpressionReader):
    """Binds the names that import statements bind, and records the TensorFlow names that they use."""

    def _import(self, node: ast.Import) -> None:
        for alias in node.names:
            top = alias.name.split(".")[0]
            is_checked = self._is_checked(top)
            if is_checked:
                self._use_module(alias.name, node)
            bound = alias.name if alias.asname else top
            is_known = is_checked or top in _TRACKED
            self._bind(
                alias.asname or top, frozenset([bound]) if is_known else self.scopes.own_module(bound, alias.name)
            )

    def _import_from(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        from_tensorflow = not node.level and self._is_checked(module.split(".")[0])
        if from_tensorflow and module.split(".")[0] == KERAS:
            self._use_module(module, node)
        own = None if from_tensorflow else self._lookups.module(module, node.level)
        if own is not None:
            self._lookups.bound_in(own)  # the import runs the module, whichever names it takes
        if module == "__future__" and any(alias.name == "annotations" for alias in node.names):
            self._reads_annotations = False
        for alias in node.names:
            if alias.name == "*":
                self._import_all(module if from_tensorflow else own, from_tensorflow, node)
                continue
            meanings = NOTHING
            if from_tensorflow:
                meanings = frozenset(["{}.{}".format(module, alias.name)])
                self._use(meanings, node)
            elif own is not None:
                meanings = self.scopes.of_own(own, alias.name)
            elif module in _TRACKED:
                meanings = frozenset(["{}.{}".format(module, alias.name)])
            self._bind(alias.asname or alias.name, meanings)

    def _import_all(self, module: Optional[str], from_tensorflow: bool, node: ast.stmt) -> None:
        if module is None:
            return
        if not from_tensorflow:
            for name, meanings in self._lookups.bound_in(module).items():
                if not name.startswith("_"):
                    self._bind(name, meanings)
            return
        self._use(frozenset([module]), node)
        if not self._lookups.exists(module):
            self._not_understood(node, "import * of {}, which is missing".format(module))
        else:
            for name in self._lookups.names_of(module):
                self._bind(name, frozenset(["{}.{}".format(module, name)]))

    def _use_module(self, module: str, node: ast.stmt) -> None:
        if module.split(".")[0] == KERAS:
            self._use(frozenset([KERAS]), node)
        self._use(frozenset([module]), node)
