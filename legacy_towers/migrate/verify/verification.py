"""Verdicts on a rewriting: of one comparison, and of all that one command shows."""
from typing import Any, Dict, NamedTuple, Sequence, Tuple

from legacy_towers.migrate.verify.runs import Record
from legacy_towers.text.documented_fields import documented_fields


class Place(NamedTuple):
    """A pipeline that was rewritten: its name for messages, and its lines in the file before the rewriting."""

    name: str
    lines: Sequence[Tuple[str, int, int]]


@documented_fields
class Check(NamedTuple):
    """One comparison.

    Attributes:
      runner: what ran the command, with its TensorFlow.
      what: what is compared.
      verdict: "proven", "different" or "not compared".
      sentence: what is the same, the first difference, or why it can't be compared.
    """

    runner: str
    what: str
    verdict: str
    sentence: str


@documented_fields
class Verification(NamedTuple):
    """Whether a command reads and computes the same after a rewriting.

    Attributes:
      command: the command.
      verdict: "proven", "different" or "not compared".
      reason: the first difference, or why it can't be compared; "" if it is proven.
      checks: what was compared.
      notes: what else is to know, one sentence each.
      records: the runs.
    """

    command: str
    verdict: str
    reason: str
    checks: Tuple[Check, ...]
    notes: Tuple[str, ...]
    records: Tuple[Record, ...]

    def __str__(self) -> str:
        sentence = self.reason or "the same examples after the rewriting"
        lines = ["{}: {}: {}".format(self.command, self.verdict.upper(), sentence)]
        runner = None
        for check in self.checks:
            if check.runner != runner:
                runner = check.runner
                lines.append("  by {}".format(runner))
            # The command can fail in the same way by each runner.
            is_told = self.reason.endswith(", " + check.sentence)
            lines.append("    {}: {}{}".format(
                check.what, check.verdict.upper(), "" if is_told else ": " + check.sentence
            ))
        return "\n".join(lines + ["  " + note for note in self.notes])

    def to_json(self) -> Dict[str, Any]:
        """Returns the verification as a dict for `json.dump`."""
        return dict(
            self._asdict(), checks=[dict(each._asdict()) for each in self.checks], notes=list(self.notes),
            records=[each.to_json() for each in self.records],
        )
