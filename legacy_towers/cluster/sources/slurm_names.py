"""The grammars of SLURM's variables: node lists `n[1-2,05],gpu3` and counts per node `2(x3),1`."""
import re
from typing import List

from legacy_towers.errors import ClusterError

_COUNT = re.compile(r"(\d+)(?:\(x(\d+)\))?$")
_MOST = 100000  # longer than any list of nodes: a typo such as n[1-9999999] must not fill the memory


def node_names(text: str, variable: str) -> List[str]:
    """Returns the nodes of a list, in order: `n[1-2,05],gpu3` is n1 n2 n05 gpu3, `r[1-2]n[1-2]` r1n1 r1n2 r2n1 r2n2.

    Args:
      variable: the name of the variable, for messages.

    Raises:
      ClusterError: the list does not follow the grammar.
    """
    names: List[str] = []
    for part in _parts(text, variable):
        names += _expanded(part, variable)
        if len(names) > _MOST:
            raise ClusterError("{} is {!r}: these are more than {:,} nodes".format(variable, text, _MOST))
    if not names:
        raise ClusterError("{} is {!r}: it names no node".format(variable, text))
    return names


def counts_per_node(text: str, variable: str) -> List[int]:
    """Returns the numbers of tasks per node: `2(x3),1` is 2 2 2 1.

    Raises:
      ClusterError: the text does not follow the grammar.
    """
    counts: List[int] = []
    for part in text.split(","):
        match = _COUNT.match(part.strip())
        if match is None or int(match.group(2) or 1) > _MOST:
            raise ClusterError("{} is {!r}: counts such as 2(x3),1 are expected".format(variable, text))
        counts += [int(match.group(1))] * int(match.group(2) or 1)
    return counts


def _parts(text: str, variable: str) -> List[str]:
    """Returns what stands between the commas that are not in brackets."""
    parts, depth = [""], 0
    for character in text.strip():
        depth += {"[": 1, "]": -1}.get(character, 0)
        if depth not in (0, 1):
            raise _malformed(text, variable)
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    if depth or (len(parts) > 1 and "" in parts):
        raise _malformed(text, variable)
    return [part for part in parts if part]


def _expanded(part: str, variable: str) -> List[str]:
    before, bracket, rest = part.partition("[")
    if not bracket:
        return [part]
    ranges, _, after = rest.partition("]")
    numbers: List[str] = []
    for each in ranges.split(","):
        first, dash, last = each.partition("-")
        last = last if dash else first
        if not first.isdigit() or not last.isdigit() or not 0 <= int(last) - int(first) < _MOST:
            raise _malformed(part, variable)
        # The width of the first number counts: [08-10] is 08 09 10.
        numbers += ["{:0{}d}".format(number, len(first)) for number in range(int(first), int(last) + 1)]
    return [before + number + end for number in numbers for end in _expanded(after, variable)]


def _malformed(text: str, variable: str) -> ClusterError:
    return ClusterError("{} has {!r}: a list of nodes such as n[1-2,05],gpu3 is expected".format(variable, text))
