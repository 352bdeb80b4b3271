"""What is compared: ways in, or strategies for variables and reductions of gradients; each has a name."""
import re
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

SYNTHETIC = "synthetic"
STAGED = "+staged"


class Candidate(NamedTuple):
    """One row of the comparison.

    Attributes:
      name: which no other candidate has.
      input: the way in.
      variables: the strategy's name; None: the job's own.
      reduction: its name; None: the job's own.
    """

    name: str
    input: str
    variables: Optional[str] = None
    reduction: Optional[str] = None


class Candidates(NamedTuple):
    """What is compared.

    Attributes:
      subject: one of `report.document.SUBJECTS`.
      all: the candidates, in the order in which they were named.
      current: the name of the one that the others are compared with.
      left_out: (name, why it can't serve the job).
      shared: what all candidates have in common, such as {"input": "synthetic"}.
      words: Candidate.name -> (strategy, reduction) in words, for the document; None: as none is named.
      notes: sentences on what was chosen unasked.
    """

    subject: str
    all: List[Candidate]
    current: str
    left_out: List[Tuple[str, str]]
    shared: Dict[str, Any]
    words: Dict[str, Tuple[Optional[str], Optional[str]]]
    notes: List[str]

    def names(self) -> List[str]:
        """Returns the names of all, in their order."""
        return [candidate.name for candidate in self.all]

    def current_one(self) -> Candidate:
        """Returns the one that the others are compared with."""
        return next(candidate for candidate in self.all if candidate.name == self.current)


def split_names(text: str) -> List[str]:
    """Returns the names in "mean,clip_by_value:-1,1+mean,round_robin:/cpu:0,/cpu:1": three of them.

    Names begin with letters: a comma before a number or a device belongs to the name.
    """
    return [name.strip() for name in re.split(r",(?=\s*(?:[A-Za-z]|,|$))", text) if name.strip()]
