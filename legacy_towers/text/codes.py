"""The codes of checks and rules, as `--select` and `--ignore` name them."""
from typing import Iterable, List, Sequence


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
