"""Reads the codes and explanations of the checks from their source, since importing them imports TensorFlow."""
import ast
import functools
import os
from typing import Dict, Iterable, Iterator, NamedTuple

from legacy_towers.errors import UserError
from legacy_towers.text.codes import first_unknown, unknown_code

_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "checks")


class Description(NamedTuple):
    """What is known of a check without importing it; see `registry.Check` for the attributes."""

    code: str
    name: str
    severity: str
    explanation: str


@functools.lru_cache(maxsize=None)
def descriptions() -> Dict[str, Description]:
    """Returns code -> description of each check."""
    found: Dict[str, Description] = {}
    for name in sorted(os.listdir(_FOLDER)):
        if name.endswith(".py"):
            with open(os.path.join(_FOLDER, name), encoding="utf-8") as file:
                found.update((each.code, each) for each in _described(ast.parse(file.read())))
    return found


def require_codes(codes: Iterable[str]) -> None:
    """Raises a UserError if one of `codes`, codes or beginnings of codes, is that of no check."""
    unknown = first_unknown(codes, descriptions())
    if unknown is not None:
        raise UserError(unknown_code("check", unknown, descriptions()))


def explanation(code: str) -> str:
    """Returns the explanation of the check of a code, with its name and severity.

    Raises:
      UserError: no check has the code.
    """
    if code not in descriptions():
        raise UserError(unknown_code("check", code, descriptions()))
    found = descriptions()[code]
    return "{} {} ({})\n\n{}".format(found.code, found.name, found.severity, found.explanation)


def _described(module: ast.Module) -> Iterator[Description]:
    """Yields the arguments of the decorators @check(code, name, severity, explanation)."""
    for function in module.body:
        for decorator in function.decorator_list if isinstance(function, ast.FunctionDef) else ():
            if isinstance(decorator, ast.Call) and getattr(decorator.func, "id", "") == "check":
                code, name, severity, text = decorator.args
                assert isinstance(severity, ast.Name)  # ERROR or WARNING
                yield Description(ast.literal_eval(code), ast.literal_eval(name), severity.id.lower(),
                                  ast.literal_eval(text).strip())
