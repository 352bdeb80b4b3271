"""What a conversion of queues does with each input pipeline, as plain values."""
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

SAME_SEQUENCE = "same sequence"
SAME_SET = "same set"
REFUSED = "refused"


class Refused(Exception):
    """A pipeline can't be converted.

    Args:
      reason: why, as a clause.
      operation: the operation that prevents it.
    """

    def __init__(self, reason: str, operation: Any) -> None:
        super().__init__(reason)
        self.reason = reason
        self.operation = operation


class PipelinePlan(NamedTuple):
    """What becomes of one input pipeline: of what the model reads from one queue or reader.

    Attributes:
      name: the name of the queue or the reader.
      promise: "same sequence": the examples come in the order in which the queues gave them. "same set": each epoch has
        the same examples, in an order that was not determined before. "refused": the queues stay.
      reason: why it is not the same sequence, or why it is refused; "" for the same sequence.
      steps: the dataset, one transformation each, from the files to the batches; empty if refused.
      operation: name of the operation that prevents the conversion; None if it is converted.
      line: the user's line that made that operation, or the queue; "" if it is not known.
      notes: what else differs, one sentence each.
      filled: names of the queues that Python code fills: they stay, and the dataset takes elements from them.
    """

    name: str
    promise: str
    reason: str
    steps: Tuple[str, ...]
    operation: Optional[str]
    line: str
    notes: Tuple[str, ...]
    filled: Tuple[str, ...] = ()

    @property
    def reasons(self) -> List[str]:
        """The reason, or each of several: a race, a shuffle and random numbers may all change the order."""
        return self.reason.split("; ") if self.promise == SAME_SET else [self.reason] if self.reason else []

    def since(self) -> List[str]:
        """Returns the reasons as lines: [", since it shuffles"], or [", since", "  it shuffles", ...] of several."""
        if len(self.reasons) < 2:
            return [", since " + each for each in self.reasons] or [""]
        return [", since"] + ["  " + each for each in self.reasons]

    def __str__(self) -> str:
        first, *others = self.since()
        lines = ["{}: {}{}".format(self.name, self.promise.upper(), first)] + ["  " + each for each in others]
        lines += ["  made by {}".format(self.line)] if self.line else []
        lines += ["  operation {}".format(self.operation)] if self.operation else []
        lines += ["  {}{}".format("." if number else "", step) for number, step in enumerate(self.steps)]
        return "\n".join(lines + ["  note: " + note for note in self.notes])

    def to_json(self) -> Dict[str, Any]:
        """Returns the plan as a dict for `json.dump`."""
        return dict(self._asdict(), steps=list(self.steps), notes=list(self.notes), filled=list(self.filled))
