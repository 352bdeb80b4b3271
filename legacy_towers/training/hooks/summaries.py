"""TensorBoard's event files: loss, metrics, rates, input wait, evaluations, and the model's own summaries."""
from typing import Any, Dict, List, Mapping, Optional, Tuple

from legacy_towers.compat import tf
from legacy_towers.step import TrainStep
from legacy_towers.tensor_types import Coordinator, Session
from legacy_towers.training.callbacks import Callback
from legacy_towers.training.hooks.measuring import Measures, MeasuringHook

_RESERVED = ("loss", "learning_rate", "examples_per_second", "input_wait")


class SummaryHook(MeasuringHook, Callback):
    """Writes summaries of step 1 and of each multiple of `every`, for TensorBoard.

        training/loss, training/NAME of each metric, training/learning_rate, training/examples_per_second,
        training/input_wait, validation/NAME, evaluation/NAME, and the graph's own summaries under their names

    With several objectives, there is a training/learning_rate/NAME for each. A metric that is called like one of these
    is training/metrics/NAME.

    A session that starts writes a START event, so that TensorBoard leaves out what a killed run has written after the
    restored step. A MonitoredTrainingSession also writes the graph's own summaries, every 100 steps, where it has a
    `checkpoint_dir` or a `summary_dir`: give it `save_summaries_steps=None` and `save_summaries_secs=None`.

    Args:
      step: the train step, of the default graph.
      directory: where the event files are; TensorFlow has one writer for each directory.
      every: global steps between two summaries.

    Raises:
      ArgumentError: `every` is not a whole number of at least 1.
    """

    def __init__(self, step: TrainStep, directory: str, every: int = 100) -> None:
        super().__init__(step, every)
        self._directory = directory
        self._ended = True  # until a session begins

    def fetches(self) -> Dict[str, Any]:
        merged = tf.summary.merge_all()
        return {} if merged is None else {"summaries": merged}

    def after_create_session(self, session: Session, coord: Coordinator) -> None:
        super().after_create_session(session, coord)
        self._ended = False
        writer = self.writer()
        # TensorBoard drops earlier events from this step on.
        writer.add_session_log(tf.SessionLog(status=tf.SessionLog.START), self._step + 1)

    def record(self, measures: Measures, values: Mapping[str, Any]) -> None:
        writer = self.writer()
        if "summaries" in values:
            writer.add_summary(values["summaries"], measures.step)
        writer.add_summary(_summary(_training_values(measures)), measures.step)

    def on_evaluation(self, step: int, metrics: Mapping[str, float]) -> None:
        """Writes an evaluation, also after the session has ended."""
        summary = _summary([("evaluation/" + name, metrics[name]) for name in sorted(metrics)])
        if self._ended:
            # A file of its own: TF 1.15 names files by the second, and a writer that is opened again in the second of
            # its first opening would empty its file.
            writer = tf.summary.FileWriter(self._directory, filename_suffix=".evaluation")
            writer.add_summary(summary, step)
            writer.close()
        else:
            writer = self.writer()
            writer.add_summary(summary, step)
            writer.flush()

    def end(self, session: Session) -> None:
        self._ended = True
        self.writer().flush()

    def writer(self) -> Any:
        """Returns the `tf.summary.FileWriter`: that of MonitoredTrainingSession, of which TensorFlow keeps one."""
        writer = tf.summary.FileWriterCache.get(self._directory)
        writer.reopen()  # does nothing unless it was closed
        return writer


def _training_values(measures: Measures) -> List[Tuple[str, Optional[float]]]:
    values: List[Tuple[str, Optional[float]]] = [
        ("training/loss", measures.loss),
        ("training/examples_per_second", measures.examples_per_second),
        ("training/input_wait", measures.input_wait),
    ]
    for name, rate in measures.learning_rates.items():
        values.append(("training/learning_rate" + (name and "/" + name), rate))
    for name, value in measures.metrics.items():
        values.append(("training/{}{}".format("metrics/" if name in _RESERVED else "", name), value))
    for name, value in measures.validation.items():
        values.append(("validation/" + name, value))
    return values


def _summary(values: List[Tuple[str, Optional[float]]]) -> Any:
    return tf.Summary(value=[
        tf.Summary.Value(tag=tag, simple_value=value) for tag, value in values if value is not None
    ])
