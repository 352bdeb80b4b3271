"""The result of a training run."""
from typing import List, NamedTuple, Optional

from legacy_towers.data.skipping import SkippedRecords
from legacy_towers.step.plan import Plan
from legacy_towers.training.evaluation.evaluator import Evaluation


class Trained(NamedTuple):
    """The result of a training run.

    Attributes:
      plan: the plan of the step.
      resumed_from: the checkpoint from which the run resumed; None for a new run.
      steps: steps of this run.
      step: the global step at the end of this run.
      last_step: the global step at which training ends.
      loss: the loss over all towers at the last printed step; None if no step was run.
      loss_step: the global step of that loss; asynchronous towers go on beside it.
      examples_per_second: over all towers, without the first step; None if there was at most one step.
      interrupted: the number of the signal that ended the run early, SIGINT (Ctrl-C) or SIGTERM; None without one.
      skipped_steps: steps of this run that were skipped, since a loss or a gradient was NaN or infinite.
      restored: how often the variables were restored after a loss of NaN.
      evaluation: the evaluation on the test examples; None if the job has none, or the run was interrupted.
      stopped_early: a sentence on why training stopped before its last step; None if it did not.
      best: the best checkpoint and its metric, such as "run/model.ckpt-900 (accuracy 0.9889)"; None if none is kept.
      traces: a sentence per traced step on how much the towers ran at the same time.
      staleness: one sentence per tower on how stale its gradients were; [] unless towers train asynchronously.
      skipped: the training records that were skipped; None unless bad records are skipped.
      towers: how many towers trained, on all workers.
      late: a sentence on how many steps of this worker came too late; None without backup workers.
    """

    plan: Plan
    resumed_from: Optional[str]
    steps: int
    step: int
    last_step: int
    loss: Optional[float]
    examples_per_second: Optional[float]
    interrupted: Optional[int]
    skipped_steps: int
    restored: int
    evaluation: Optional[Evaluation]
    stopped_early: Optional[str]
    best: Optional[str]
    traces: List[str]
    staleness: List[str]
    skipped: Optional[SkippedRecords]
    towers: int = 1
    loss_step: Optional[int] = None
    late: Optional[str] = None
