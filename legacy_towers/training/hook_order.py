"""The hooks of a training session, in the order in which they are called."""
from typing import Any, Callable, List, NamedTuple, Optional

from legacy_towers.step import TrainStep
from legacy_towers.training.callbacks import CallbackGroup
from legacy_towers.training.checkpoints.store import CheckpointStore
from legacy_towers.training.hooks.callbacks import CallbackHook
from legacy_towers.training.hooks.checkpoint import CheckpointHook
from legacy_towers.training.hooks.evaluation import EvaluationHook
from legacy_towers.training.hooks.interrupt import InterruptHook
from legacy_towers.training.hooks.last_step import LastStepHook
from legacy_towers.training.hooks.nan_guard import NanGuardHook
from legacy_towers.training.hooks.stall import StallHook


class SessionParts(NamedTuple):
    """What the hooks of a training session are made of.

    Attributes:
      step: the train step, of the default graph.
      interrupt: notes the signal that ends the session.
      callbacks: what is called with plain values.
      calling: calls it.
      hooks: the user's own.
      reports: hooks that print, count and trace steps.
      last_step: the global step at which training ends; None: at the end of the data.
      guard: what looks for NaN; None for nothing.
      store: the checkpoints; None: none are saved.
      writer: the `tf.summary.FileWriter` that gets the graph; None for none.
      stall: reports a step that takes too long.
      evaluation: makes the hook that evaluates, from the one that saves; None: training is not evaluated.
    """

    step: TrainStep
    interrupt: InterruptHook
    callbacks: CallbackGroup
    calling: CallbackHook
    hooks: List[Any]
    reports: List[Any]
    last_step: Optional[int]
    guard: Optional[NanGuardHook]
    store: Optional[CheckpointStore]
    writer: Optional[Any]
    stall: Optional[StallHook] = None
    evaluation: Optional[Callable[[Optional[CheckpointHook]], EvaluationHook]] = None


def ordered_hooks(parts: SessionParts) -> List[Any]:
    """Returns all hooks of a session. A new one is one more line at its place.

    A MonitoredSession calls each method of all hooks in this order, `after_run` and `end` too, and an error in one of
    them keeps the later ones from being called. So

    0. what times a run is before all that can wait in it, and is done before the others save and evaluate;
    1. the step's hooks are next: they feed, start iterators and place the first batches, which all others need;
    2. what only looks at a step (progress, traces, the user's hooks) is before the guard, so that the step whose loss
       is NaN is in the records;
    3. what ends a session early asks for it before the guard raises an error;
    4. what uses the variables (callbacks) is after the guard: it sees no step that the guard rejects;
    5. the checkpoint is after all that changes the session, so that it has what they did in this step and at the end;
    6. the evaluation is of the checkpoint of this step: it comes after that;
    7. where workers stop together, that hook turns what the others request into a vote, but for the last step, which is
       the same for all.
    """
    step = parts.step
    hooks: List[Any] = [] if parts.stall is None else [parts.stall]
    stop_hook = step.stop_hook
    hooks += [each for each in step.hooks if each is not stop_hook]
    hooks += parts.reports
    hooks += parts.hooks
    last = [LastStepHook(step, parts.last_step)] if parts.last_step is not None else []
    hooks += last if stop_hook is None else []
    hooks += [parts.interrupt]
    hooks += [parts.guard] if parts.guard is not None else []
    hooks += [parts.calling]
    saving = _checkpoint(parts)
    # A step that waits for another worker may have updated some of the variables: nothing is saved beside it.
    if saving and stop_hook is None:
        parts.interrupt.saving = saving[0]
        if parts.stall is not None:
            parts.stall.saving = saving[0]
    hooks += saving
    hooks += [parts.evaluation(saving[0] if saving else None)] if parts.evaluation is not None else []
    hooks += [] if stop_hook is None else [stop_hook] + last
    return hooks


def _checkpoint(parts: SessionParts) -> List[CheckpointHook]:
    if parts.store is None:
        return []
    # Towers that write while others are saved would mix two steps in a checkpoint.
    listeners = [] if parts.step.asynchronous is None else [parts.step.asynchronous.pausing_listener()]
    return [CheckpointHook(parts.store, listeners, parts.writer, parts.callbacks.saved, step_multiple(parts.step))]


def step_multiple(step: TrainStep) -> int:
    """Returns the number of which a step's number must be a multiple to be saved during training."""
    return 1 if step.stop_hook is None else step.stop_hook.step_multiple
