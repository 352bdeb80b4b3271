"""Names: the name scopes of towers, made and read back here, and names in messages."""
import re
from typing import Iterable, Optional

# TensorFlow makes a scope's name unique by a suffix: the second set of towers in a graph is tower_0_1, tower_1_1, ...
_TOWER = re.compile(r"(?:^|/)tower_(\d+)(?:_\d+)?(?=/|$)")


def tower_scope(index: int) -> str:
    """Returns the name scope of tower `index`: `tower_0`, `tower_1`, ..."""
    return "tower_{}".format(index)


def tower_of(operation_name: str) -> Optional[int]:
    """Returns the index of the tower whose scope `operation_name` lies in, None if it lies in none.

    The innermost tower scope counts: `gradients/tower_2/fc/MatMul_grad` belongs to tower 2.
    """
    found = _TOWER.findall(operation_name)
    return int(found[-1]) if found else None


def quoted(names: Iterable[str], most: int = 5) -> str:
    """Returns names for an error message: `'a', 'b' and 3 more`, `most` of them at the most."""
    names = list(names)
    text = ", ".join(repr(str(name)) for name in names[:most])
    return text if len(names) <= most else "{} and {} more".format(text, len(names) - most)


def no_such_word(kind: str, part: str, text: str, known: Iterable[str]) -> str:
    """Returns what to say of one of the words in `text`, joined by "+", that is none of `known`.

    Args:
      kind: what `text` names: "reduction".
      part: the word, with what stands behind its ":".
    """
    known, name = list(known), part.partition(":")[0]
    what = "there is no {} {!r}{}".format(kind, name, "" if name == text else " (in {!r})".format(text))
    if not part:
        what = 'the {} {!r} has no word {}'.format(kind, text, 'on one side of a "+"' if text else "at all")
    return '{}: there are {}; words are joined by "+"'.format(what, quoted(known, most=len(known)))


def wrong_argument(kind: str, part: str, text: str, argument: Optional[str]) -> str:
    """Returns what to say of a word of `text` with a wrong argument; for the others see `no_such_word`.

    Args:
      argument: what the word takes behind a ":", in words; None where it takes nothing.
    """
    takes = "nothing behind it" if argument is None else '{} behind a ":"'.format(argument)
    where = "" if part == text else " has {!r}".format(part)
    return "the {} {!r}{}: {!r} takes {}".format(kind, text, where, part.partition(":")[0], takes)
