"""`--prove`: compares the queues of a script with tf.data before they are converted."""
import threading
from typing import Any, Callable, Dict, List

from legacy_towers.errors import ArgumentError
from legacy_towers.migrate.proof.prove import prove
from legacy_towers.migrate.proof.values import DIFFERENT, PipelineProof, TrainingProof
from legacy_towers.tensor_types import Graph

# A comparison that lasts longer is announced: it looks like a script that hangs.
_ANNOUNCED_AFTER_SECONDS = 60.0
_ANNOUNCEMENT = (
    "--prove goes on: it reads the examples of an epoch several times, from queues and by tf.data, one batch per "
    "session run"
)


class QueueProof:
    """Proves the conversions of a script.

    Args:
      print_line: prints a line on standard error.
      allow_different: whether the script goes on where tf.data gives other examples than the queues.
      announced_after: seconds after which a comparison that goes on is announced.

    Attributes:
      pipelines: name of a queue or reader -> its proof.
      training: proofs of first training steps.
    """

    def __init__(
        self, print_line: Callable[[str], None], allow_different: bool,
        announced_after: float = _ANNOUNCED_AFTER_SECONDS,
    ) -> None:
        self._print = print_line
        self._allow_different = allow_different
        self._announced_after = announced_after
        self.pipelines: Dict[str, PipelineProof] = {}
        self.training: List[TrainingProof] = []

    def check(self, graph: Graph) -> None:
        """Proves the conversion of a graph that is not converted yet.

        Raises:
          SystemExit: they differ, and that is not allowed.
        """
        announcement = threading.Timer(self._announced_after, self._print, [_ANNOUNCEMENT])
        announcement.daemon = True
        announcement.start()
        try:
            proof = prove(graph)
        except ArgumentError as error:
            self._print("--prove: NOT COMPARED: {}".format(error))
            return
        finally:
            announcement.cancel()
        for each in proof.pipelines:
            self.pipelines[each.name] = each
            for line in [str(each)] + ["  note: " + note for note in each.notes]:
                self._print(line)
        if proof.training is not None:
            self.training.append(proof.training)
            self._print(str(proof.training))
        if proof.verdict == DIFFERENT and not self._allow_different:
            self._print("error: tf.data gives other examples than the queues, so that the script is not run; "
                      "--allow-different runs it")
            raise SystemExit(1)

    def of_plan(self, name: str) -> Any:
        """Returns the proof of a pipeline as a dict for `json.dump`; None if there is none."""
        found = self.pipelines.get(name)
        return None if found is None else found.to_json()
