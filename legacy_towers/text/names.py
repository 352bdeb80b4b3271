"""Names the scopes of towers, finds the tower of an operation, and formats names for messages."""
import difflib
import re
from typing import Iterable, Optional

# TensorFlow adds a suffix to make a scope's name unique: the second set of towers of a graph is tower_0_1, tower_1_1...
_TOWER = re.compile(r"(?:^|/)tower_(\d+)(?:_\d+)?(?=/|$)")


def tower_scope(index: int) -> str:
    """Returns the name scope of tower `index`: `tower_0`, `tower_1`, ..."""
    return "tower_{}".format(index)


def tower_of(operation_name: str) -> Optional[int]:
    """Returns the tower index of the innermost tower scope of an operation; None without a tower scope.

    `gradients/tower_2/fc/MatMul_grad` belongs to tower 2.
    """
    found = _TOWER.findall(operation_name)
    return int(found[-1]) if found else None


def quoted(names: Iterable[str], most: int = 5) -> str:
    """Returns at most `most` names for an error message: `'a', 'b' and 3 more`."""
    names = list(names)
    text = ", ".join(repr(str(name)) for name in names[:most])
    return text if len(names) <= most else "{} and {} more".format(text, len(names) - most)


def listed(texts: Iterable[str]) -> str:
    """Returns all texts as a list in a sentence: `a, b and c`."""
    texts = list(texts)
    return " and ".join([", ".join(texts[:-1]), texts[-1]]) if len(texts) > 1 else "".join(texts)


def counted(number: int, noun: str) -> str:
    """Returns a number with its noun: `1 file`, `2 files`, `2 batches`."""
    plural = "es" if noun.endswith("ch") else "s"
    return "{} {}{}".format(number, noun, "" if number == 1 else plural)


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Returns `, did you mean 'train'?` for the closest of `names`; "" if none is similar to `name`."""
    # The cutoff is above the similarity of --lr and --help, and of tape and staged.
    close = difflib.get_close_matches(name, list(names), 1, cutoff=0.7)
    return ", did you mean {!r}?".format(close[0]) if close else ""
