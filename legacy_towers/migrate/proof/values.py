"""What a proof found, as plain values."""
from typing import Any, Dict, NamedTuple, Optional, Tuple

from legacy_towers.measure.statistics import Interval
from legacy_towers.text.documented_fields import documented_fields
from legacy_towers.text.names import counted
from legacy_towers.text.tables import format_table

PROVEN = "proven"
DIFFERENT = "different"
NOT_COMPARED = "not compared"


@documented_fields
class Speed(NamedTuple):
    """Examples per second and CPU time, in turns of both versions that alternate.

    Attributes:
      queue: the median examples/s of the queue.
      dataset: that of tf.data.
      ratio: tf.data over queue, the median over rounds with its 95 % interval.
      queue_cpu: CPU microseconds per example of the queue.
      dataset_cpu: those of tf.data.
      cpu_ratio: tf.data over queue, the median over rounds with its 95 % interval.
    """

    queue: float
    dataset: float
    ratio: Interval
    queue_cpu: float
    dataset_cpu: float
    cpu_ratio: Interval


@documented_fields
class PipelineProof(NamedTuple):
    """What was found for what the model reads from one queue or reader.

    Attributes:
      name: the name of the queue or the reader.
      promise: the promise of the plan: "same sequence", "same set" or "refused".
      verdict: "proven", "different" or "not compared".
      reason: why it is not proven: the first difference, or why it can't be compared; "" if it is proven.
      compared: what was compared, as a clause.
      batches: the number of batches of the queue and of tf.data.
      examples: the number of examples of the queue and of tf.data.
      last_batch: the number of examples in the last batch of the queue and of tf.data.
      repeats: whether two runs gave the same order, of the queue and of tf.data.
      shuffle_distance: the mean distance of an example from its place in the order without a shuffle, relative to the
        number of examples (1/3 for a uniform shuffle), of the queue and of tf.data; None for the same sequence.
      speed: a `Speed`; None if it was not measured.
      notes: what else is to know, one sentence each.
    """

    name: str
    promise: str
    verdict: str
    reason: str
    compared: str
    batches: Optional[Tuple[int, int]] = None
    examples: Optional[Tuple[int, int]] = None
    last_batch: Optional[Tuple[int, int]] = None
    repeats: Optional[Tuple[bool, bool]] = None
    shuffle_distance: Optional[Tuple[float, float]] = None
    speed: Optional[Speed] = None
    notes: Tuple[str, ...] = ()

    def __str__(self) -> str:
        """Returns one line."""
        return "{!r}: {}: {}".format(
            self.name, self.verdict.upper(), self.compared if self.verdict == PROVEN else self.reason
        )

    def to_json(self) -> Dict[str, Any]:
        """Returns the proof as a dict for `json.dump`."""
        return _plain(self)


@documented_fields
class TrainingProof(NamedTuple):
    """What was found for the first training steps.

    Attributes:
      verdict: "proven", "different" or "not compared".
      reason: why it is not proven; "" if it is.
      steps: the number of steps that were compared.
      compared: the names of the losses, and of the variables after each step.
    """

    verdict: str
    reason: str
    steps: int
    compared: Tuple[str, ...]

    def __str__(self) -> str:
        if self.verdict != PROVEN:
            return "training: {}: {}".format(self.verdict.upper(), self.reason)
        return "training: PROVEN: {} give the same {}, bit for bit".format(
            counted(self.steps, "step"), ", ".join(self.compared))


@documented_fields
class Proof(NamedTuple):
    """What was found for a graph.

    Attributes:
      pipelines: a `PipelineProof` for each queue or reader that the model reads from.
      training: a `TrainingProof`; None if it was not asked for.
    """

    pipelines: Tuple[PipelineProof, ...]
    training: Optional[TrainingProof] = None

    @property
    def verdict(self) -> str:
        """The verdict of all: "different" if one is, else "not compared" if one is or there is none, else "proven"."""
        found = [each.verdict for each in self.pipelines]
        found += [self.training.verdict] if self.training is not None else []
        return next((each for each in (DIFFERENT, NOT_COMPARED) if each in found), PROVEN if found else NOT_COMPARED)

    def to_json(self) -> Dict[str, Any]:
        """Returns the proof as a dict for `json.dump`."""
        return dict(_plain(self), verdict=self.verdict)

    def __str__(self) -> str:
        """Returns a table of what was measured, and a line for each verdict."""
        rows = []
        for each in self.pipelines:
            if each.batches is None:
                continue
            rows += _rows(each)
        lines = [format_table(["", "queue", "tf.data"], rows, "lrr"), ""] if rows else []
        for each in self.pipelines:
            lines += [str(each)] + ["  note: " + note for note in each.notes]
        return "\n".join(lines + ([str(self.training)] if self.training is not None else []))


def _rows(proof: PipelineProof) -> Any:
    rows: Any = [[proof.name, "", ""]]
    for title, pair in (
        ("batches", proof.batches), ("examples", proof.examples), ("examples in the last batch", proof.last_batch)
    ):
        if pair is not None:
            rows.append(["  " + title] + [str(value) for value in pair])
    if proof.repeats is not None:
        rows.append(["  same order in two runs"] + ["yes" if value else "no" for value in proof.repeats])
    if proof.shuffle_distance is not None:
        rows.append(["  distance by shuffling"] + ["{:.3f}".format(value) for value in proof.shuffle_distance])
    if proof.speed is not None:
        speed = proof.speed
        rows.append(["  examples/s", "{:.0f}".format(speed.queue), "{:.0f}".format(speed.dataset)])
        rows.append(["    ratio (95 % interval)", "", "{:.2f} ({:.2f} to {:.2f})".format(*speed.ratio)])
        rows.append(["  CPU us per example", "{:.1f}".format(speed.queue_cpu), "{:.1f}".format(speed.dataset_cpu)])
    return rows


def _plain(value: Any) -> Any:
    if hasattr(value, "_asdict"):
        return {name: _plain(each) for name, each in value._asdict().items()}
    if isinstance(value, (tuple, list)):
        return [_plain(each) for each in value]
    return value
