"""The candidates of a comparison: input pipelines, or strategies for variables and gradient reductions."""
import re
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from legacy_towers.measure.candidate import Candidate


class Candidates(NamedTuple):
    """The candidates of a comparison, and the one that the others are compared with.

    Attributes:
      subject: one of `report.document.SUBJECTS`.
      all: the candidates, in the order in which they were named.
      current: the name of the one that the others are compared with.
      left_out: (name, reason) of each that can't be used with the job.
      shared: what all candidates have in common, such as {"input": "synthetic"}.
      choices: Candidate.name -> (strategy, reduction) as the document names them; None: the job names none.
      notes: sentences on what was chosen by default.
    """

    subject: str
    all: List[Candidate]
    current: str
    left_out: List[Tuple[str, str]]
    shared: Dict[str, Any]
    choices: Dict[str, Tuple[Optional[str], Optional[str]]]
    notes: List[str]

    def names(self) -> List[str]:
        """Returns the names of all candidates, in their order."""
        return [candidate.name for candidate in self.all]

    def current_one(self) -> Candidate:
        """Returns the candidate that the others are compared with."""
        return next(candidate for candidate in self.all if candidate.name == self.current)


def split_names(text: str) -> List[str]:
    """Splits a list of names: "mean,clip_by_value:-1,1+mean,round_robin:/cpu:0,/cpu:1" has three of them.

    Names begin with letters: a comma before a number or a device belongs to the name.
    """
    return [name.strip() for name in re.split(r",(?=\s*(?:[A-Za-z]|,|$))", text) if name.strip()]
