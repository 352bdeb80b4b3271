"""The checks: each registers a function of a subject by its code."""
from typing import Callable, Dict, Iterator, List, NamedTuple, Sequence

from legacy_towers.doctor.subject import Evidence, Subject
from legacy_towers.errors import UserError
from legacy_towers.text.codes import chosen, first_unknown, unknown_code

ERROR, WARNING = "error", "warning"

Function = Callable[[Subject], Iterator[Evidence]]


class Check(NamedTuple):
    """One check.

    Attributes:
      code: its stable code, "LD301".
      name: a short name, "small-shuffle".
      severity: ERROR: what the script computes is wrong, or it fails or waits forever; WARNING: slower or less random
        than it looks.
      explanation: what it finds, why that matters and what to do.
      function: yields the evidence in a subject.
    """

    code: str
    name: str
    severity: str
    explanation: str
    function: Function


# Filled by the decorators in `checks`, which are imported together.
_CHECKS: Dict[str, Check] = {}


def check(code: str, name: str, severity: str, explanation: str) -> Callable[[Function], Function]:
    """Returns a decorator that registers a check; see `Check` for the arguments."""

    def register(function: Function) -> Function:
        if code in _CHECKS:
            raise ValueError("the code {} has a check already".format(code))
        _CHECKS[code] = Check(code, name, severity, explanation.strip(), function)
        return function

    return register


def checks(select: Sequence[str] = (), ignore: Sequence[str] = ()) -> List[Check]:
    """Returns the checks in the order of their codes.

    Args:
      select: codes, or beginnings of codes, of the checks to return; empty: all.
      ignore: codes, or beginnings of codes, of the checks to leave out.

    Raises:
      UserError: a code of `select` or `ignore` is that of no check.
    """
    unknown = first_unknown(list(select) + list(ignore), _CHECKS)
    if unknown is not None:
        raise UserError(unknown_code("check", unknown, _CHECKS))
    return [_CHECKS[code] for code in chosen(_CHECKS, select, ignore)]
