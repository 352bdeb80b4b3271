"""The codes of checks and rules, as `--select`, `--ignore` and `--explain` name them."""
import re
from typing import Dict, Iterable, List, Optional, Sequence, Tuple

# In place of a code, asks `--explain` for a list of them.
ALL = "all"
# The letters that codes begin with -> (what has such a code, the command that explains it).
_OWNERS: Dict[str, Tuple[str, str]] = {"LD": ("check", "doctor"), "LT": ("rule", "migrate")}
_WHOLE = re.compile(r"L[A-Z]\d{3}$")
# Codes of one subject have their first three characters in common: LT1, LT2...
_FAMILY = 3
_MOST = 3


def first_unknown(given: Iterable[str], codes: Iterable[str]) -> Optional[str]:
    """Returns the first of some codes, or beginnings of codes, that is none of `codes`; None if each is one."""
    known = list(codes)
    return next((each for each in given if not each or not any(code.startswith(each) for code in known)), None)


def unknown_code(noun: str, code: str, codes: Iterable[str]) -> str:
    """Returns the message for a code, or a beginning of codes, that is not among `codes`; it names the closest ones.

    Args:
      noun: what has the codes: "check" or "rule".
      code: the unknown code.
      codes: all codes.
    """
    message = "no {} has the code {!r}".format(noun, code)
    for other, (others, command) in _OWNERS.items():
        if others != noun and code.startswith(other):
            message += ": codes that begin with {} are {}s of {}".format(other, others, command)
            return message + _hint(command, code if _WHOLE.match(code) else ALL)
    near = _nearest(code, codes)
    if near:
        message += ": the closest {} {}".format("is" if len(near) == 1 else "are", ", ".join(near))
    command = next(command for owner, command in _OWNERS.values() if owner == noun)
    return message + _hint(command, ALL)


def _hint(command: str, code: str) -> str:
    return "; see `legacy-towers {} --explain {}`".format(command, code)


def _nearest(code: str, codes: Iterable[str]) -> List[str]:
    """Returns at most `_MOST` codes with the same letters and the same first digit, by their distance to `code`."""
    number = int((re.sub(r"\D", "", code) + "000")[:3])
    near = [each for each in codes if len(code) >= _FAMILY and each.startswith(code[:_FAMILY])]
    return sorted(sorted(near, key=lambda each: (abs(int(each[2:]) - number), each))[:_MOST])


def listed(rows: Iterable[Tuple[str, str]]) -> str:
    """Returns a line for each code, sorted: the code and its title, from pairs of these."""
    return "\n".join("{} {}".format(code, title) for code, title in sorted(rows))


def chosen(codes: Iterable[str], select: Sequence[str], ignore: Sequence[str]) -> List[str]:
    """Returns the chosen codes, sorted.

    Args:
      codes: all codes.
      select: codes, or beginnings of codes, to choose; empty: all.
      ignore: codes, or beginnings of codes, to leave out.
    """
    return [
        code for code in sorted(codes)
        if (not select or code.startswith(tuple(select))) and not code.startswith(tuple(ignore))
    ]
