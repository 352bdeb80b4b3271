"""A candidate of a comparison: an input pipeline, a strategy for variables, a reduction."""
from typing import Any, NamedTuple, Optional

from legacy_towers.text.documented_fields import documented_fields


@documented_fields
class Candidate(NamedTuple):
    """One of several choices that are measured and compared.

    Attributes:
      variables: where variables live: a strategy for variables, or its name; None: the job's.
      reduction: how gradients are reduced: a reduction, or its name; None: the job's.
      input: the name of the input pipeline; None: what the step is built with.
      label: a unique name for tables; "": variables and reduction as they print.
    """

    variables: Any = None
    reduction: Any = None
    input: Optional[str] = None
    label: str = ""

    @property
    def name(self) -> str:
        """The label, or variables and reduction as they print."""
        if self.label:
            return self.label
        reduction = self.reduction
        # A plain function is a reduction, too.
        shown = getattr(reduction, "__name__", None) or repr(reduction)
        return "{!r}, {}".format(self.variables, shown)

    def __str__(self) -> str:
        return self.name
