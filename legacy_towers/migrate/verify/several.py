"""Verifies a rewriting by several commands, such as training and evaluation, which use all of it together."""
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.migrate.proof.values import DIFFERENT, NOT_COMPARED, PROVEN
from legacy_towers.migrate.verify.command import Command
from legacy_towers.migrate.verify.comparisons import unread
from legacy_towers.migrate.verify.runs import BEFORE
from legacy_towers.migrate.verify.verification import Place, Verification
from legacy_towers.migrate.verify.verify import TIMEOUT, verify
from legacy_towers.text.documented_fields import documented_fields


@documented_fields
class Verifications(NamedTuple):
    """Whether commands read and compute the same after a rewriting.

    Attributes:
      commands: the verification by each command.
      unread: what was rewritten and none of the commands uses, each as the end of a sentence.
    """

    commands: Tuple[Verification, ...]
    unread: Tuple[str, ...]

    @property
    def verdict(self) -> str:
        """The worst verdict: "different", "not compared" or "proven"."""
        found = [each.verdict for each in self.commands] + [NOT_COMPARED for _ in self.unread]
        return next((each for each in (DIFFERENT, NOT_COMPARED) if each in found), PROVEN)

    def __str__(self) -> str:
        lines = [str(each) for each in self.commands]
        return "\n".join(lines + ["{}: none of the commands {}".format(NOT_COMPARED.upper(), _third_person(each))
                                  for each in self.unread])

    def to_json(self) -> Dict[str, Any]:
        """Returns the verifications as a dict for `json.dump`."""
        return {
            "verdict": self.verdict, "unread": list(self.unread),
            "commands": [each.to_json() for each in self.commands],
        }


def verify_commands(
    commands: Sequence[Command], paths: Sequence[str], texts: Dict[str, str], places: Sequence[Place],
    python: Optional[str], python_of_2: Optional[str], progress: Callable[[str], None],
    timeout: float = TIMEOUT,
) -> Verifications:
    """Verifies a rewriting by one or more commands.

    Each must import one of the rewritten files, and all of them together must import all files and read all pipelines.

    Args:
      commands: what is run.
      paths, texts, places, python, python_of_2, progress, timeout: as for `verify`.

    Raises:
      ArgumentError: the script of a command does not exist.
    """
    is_alone = len(commands) == 1
    found = [
        verify(each, paths, texts, places, python, timeout, python_of_2, is_alone, progress)
        for each in commands
    ]
    left: List[str] = []
    if not is_alone:
        before = [record for each in found for record in each.records if record.version == BEFORE]
        left = unread(before, texts, places)
    return Verifications(tuple(found), tuple(left))


def _third_person(clause: str) -> str:
    """Returns "imports x" of "import x"."""
    verb, _, rest = clause.partition(" ")
    return "{}s {}".format(verb, rest)
