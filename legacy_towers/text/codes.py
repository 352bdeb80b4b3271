"""The codes of checks and rules, as `--select`, `--ignore` and `--explain` name them."""
from typing import Iterable, List, Optional, Sequence, Tuple

# In place of a code, asks `--explain` for a list of them.
ALL = "all"


def first_unknown(given: Iterable[str], codes: Iterable[str]) -> Optional[str]:
    """Returns the first of some codes, or beginnings of codes, that is none of `codes`; None if each is one."""
    known = list(codes)
    return next((each for each in given if not each or not any(code.startswith(each) for code in known)), None)


def unknown_code(noun: str, code: str, codes: Iterable[str]) -> str:
    """Returns the message for a code, or a beginning of codes, that is not among `codes`; it lists those near it.

    Args:
      noun: what has the codes, "check".
      code: the unknown code.
      codes: all codes.
    """
    near = [each for each in sorted(codes) if code and each.startswith(code[:3])]
    shown = "near it are" if near else "the codes are"
    return "no {} has the code {!r}: {} {}".format(noun, code, shown, ", ".join(near or sorted(codes)))


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
