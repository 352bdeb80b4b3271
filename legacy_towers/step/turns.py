"""Whose turn it is: which part's train op a step runs."""
from typing import Any, Dict, Iterator, Optional, Sequence

from legacy_towers.errors import ArgumentError
from legacy_towers.names import quoted


class Turns:
    """The train op of each step, by the global step before it; without turns there is one for all.

    Args:
      ops: name of a part -> its train op.
      schedule: names of parts, one per step, over and over; [] where the parts are run together.
      together: the op that runs all parts; None where they take turns.
    """

    def __init__(self, ops: Dict[str, Any], schedule: Sequence[str], together: Optional[Any]) -> None:
        self.ops = dict(ops)
        self.schedule = list(schedule)
        self.together = together

    def op(self, step: int, part: Optional[str] = None) -> Any:
        """Returns the train op to run at global step `step`, or that of the part which is named.

        Raises:
          ArgumentError: there is no such part.
        """
        if part is not None:
            if part not in self.ops:
                raise ArgumentError("there is no part {!r}: the step has {}".format(part, quoted(self.ops) or "none"))
            return self.ops[part]
        return self.together if self.together is not None else self.ops[self.schedule[step % len(self.schedule)]]

    def endless(self, start: int) -> Iterator[Any]:
        """Yields the train ops of global step `start` and all steps after it."""
        step = start
        while True:
            yield self.op(step)
            step += 1
