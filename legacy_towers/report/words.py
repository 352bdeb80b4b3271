"""What a comparison's candidates are called, by what was compared."""
from typing import Dict, NamedTuple

from legacy_towers.report.document import INPUTS, PAIRS, REDUCTIONS, VARIABLES


class Words(NamedTuple):
    """What candidates are called.

    Attributes:
      one, many: of them, as in "4 of 5 ways".
      column: the head of a table's first column.
      title: of the page.
      in_full: the head of a column on the page, where there is room.
    """

    one: str
    many: str
    column: str
    title: str
    in_full: str


WORDS: Dict[str, Words] = {
    INPUTS: Words("way", "ways", "way", "ways in, compared", "way in"),
    VARIABLES: Words("strategy", "strategies", "variables", "where variables live, compared", "variables"),
    REDUCTIONS: Words("reduction", "reductions", "reduction", "how gradients meet, compared", "reduction"),
    PAIRS: Words(
        "pair", "pairs", "variables with reduction", "where variables live and how gradients meet, compared",
        "variables with reduction",
    ),
}
