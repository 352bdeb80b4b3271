"""Visits libcst trees that are only read.

libcst's own `visit` makes a new node of each one that it visits, and visits commas and spaces too: a visit of a file
takes ten times as long (`python tests/benchmarks/migrate_audit.py`).
"""
import dataclasses
import functools
from typing import Any, Callable, Dict, Optional, Tuple

import libcst as cst

# Attributes of nodes that hold no code of their own: punctuation, spaces and comments.
_PUNCTUATION = frozenset((
    "asynchronous", "colon", "comma", "comment", "dot", "equal", "first_colon", "footer", "header", "indent",
    "lbrace", "lbracket", "leading_lines", "leading_whitespace", "lines_after_decorators", "lpar", "newline",
    "operator", "rbrace", "rbracket", "relative", "rpar", "second_colon", "semicolon", "trailing_whitespace",
))
# The order of the code where that of the attributes is another.
_ORDER: Dict[str, Tuple[str, ...]] = {
    "Arg": ("keyword", "value"),
    "ClassDef": ("decorators", "name", "type_parameters", "bases", "keywords", "body"),
    "ExceptHandler": ("type", "name", "body"),
    "ExceptStarHandler": ("type", "name", "body"),
    "FunctionDef": ("decorators", "name", "type_parameters", "params", "returns", "body"),
    "IfExp": ("body", "test", "orelse"),
    "Parameters": ("posonly_params", "posonly_ind", "params", "star_arg", "kwonly_params", "star_kwarg"),
}
_SEQUENCES = (tuple, list)
_NO_NODES = (str, bool, type(None), cst.MaybeSentinel)

_Method = Optional[Callable[[Any], Optional[bool]]]


class Visitor:
    """Calls `visit_KIND(node)` for the nodes of code in a tree, in the order of the code.

    A method visit_Call, for example, is called with each call; what is in the call is visited afterwards, unless the
    method returns False.
    """

    def __init__(self) -> None:
        self._kinds: Dict[type, Tuple[_Method, Tuple[str, ...]]] = {}

    def visit(self, node: Any) -> None:
        """Visits a node and what is in it."""
        kind: Any = type(node)
        known = self._kinds.get(kind)
        if known is None:
            known = self._kinds[kind] = getattr(self, "visit_" + kind.__name__, None), _attributes(kind)
        method, names = known
        if method is not None and method(node) is False:
            return
        for name in names:
            value = getattr(node, name)
            if isinstance(value, _SEQUENCES):
                for each in value:
                    self.visit(each)
            elif not isinstance(value, _NO_NODES):
                self.visit(value)


@functools.lru_cache(maxsize=None)
def _attributes(kind: Any) -> Tuple[str, ...]:
    """Returns the attributes of a kind of node that may hold code, in the order of the code."""
    names = [each.name for each in dataclasses.fields(kind)]
    names = [each for each in _ORDER.get(kind.__name__, names) if each in names]
    return tuple(each for each in names if each not in _PUNCTUATION and not each.startswith("whitespace"))
