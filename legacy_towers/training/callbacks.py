"""Callbacks: methods that a training session calls with plain values."""
from typing import Any, Dict, Iterable, List, Mapping, Optional

from legacy_towers.errors import ArgumentError
from legacy_towers.text.names import quoted


class Callback:
    """The base class of callbacks: override what you need.

        class Notify(lt.training.Callback):
            def on_checkpoint(self, step, path):
                print("step {}: {}".format(step, path))

    All methods are called in the thread of the training loop, between two steps, in the order of the callbacks. An
    error in one of them ends training.
    """

    def on_step_end(self, step: int, loss: float) -> Optional[bool]:
        """Is called after each step; overriding it fetches the loss in each step.

        Args:
          step: the global step after it: 1 after the first one. Where towers train asynchronously, as the run of tower
            0 has read it.
          loss: the loss over all towers; where objectives alternate, that of the objective which was trained.

        Returns:
          True ends training, as a hook's `request_stop()` does; None or False continues.
        """

    def on_evaluation(self, step: int, metrics: Dict[str, float]) -> Optional[bool]:
        """Is called after each evaluation, also after the one at the end of `legacy-towers train`.

        Args:
          step: the global step whose variables were evaluated.
          metrics: name -> value; "loss" is one of them.

        Returns:
          True ends training after the next step; None or False continues.
        """

    def on_checkpoint(self, step: int, path: str) -> None:
        """Is called when a checkpoint is complete, verified and visible, a few steps after the step that it is of.

        Args:
          step: the global step of the checkpoint.
          path: its prefix, such as "run/model.ckpt-500", as `tf.train.Saver.restore` takes it.
        """

    def on_end(self, step: int) -> None:
        """Is called once, after the last checkpoint and the last evaluation, also where a signal ended training.

        It is not called where an error ended training.

        Args:
          step: the global step at the end.
        """


_METHODS = ("on_step_end", "on_evaluation", "on_checkpoint", "on_end")


class CallbackGroup:
    """Calls several callbacks as one.

    Args:
      callbacks: `Callback`s.

    Attributes:
      wants_steps: whether one of them overrides `on_step_end`.
      wants_stop: whether one of them asked to end training.
    """

    def __init__(self, callbacks: Iterable[Callback] = ()) -> None:
        self._callbacks = check_callbacks(callbacks)
        self.wants_stop = False

    @property
    def wants_steps(self) -> bool:
        return any(type(each).on_step_end is not Callback.on_step_end for each in self._callbacks)

    def add(self, candidates: Iterable[Any]) -> None:
        """Adds those of some objects, such as hooks, that are callbacks too and not yet in the group."""
        for each in candidates:
            if isinstance(each, Callback) and not any(each is other for other in self._callbacks):
                self._callbacks += check_callbacks([each])

    def step_end(self, step: int, loss: float) -> None:
        for each in self._callbacks:
            self._heed(each.on_step_end(step, loss))

    def evaluated(self, step: int, metrics: Mapping[str, float]) -> None:
        for each in self._callbacks:
            self._heed(each.on_evaluation(step, {name: float(metrics[name]) for name in metrics}))

    def saved(self, step: int, path: str) -> None:
        for each in self._callbacks:
            each.on_checkpoint(step, path)

    def ended(self, step: int) -> None:
        for each in self._callbacks:
            each.on_end(step)

    def _heed(self, answer: Any) -> None:
        self.wants_stop = self.wants_stop or answer is True


def check_callbacks(callbacks: Any) -> List[Callback]:
    """Returns the callbacks as a list.

    Raises:
      ArgumentError: it is not a list of `Callback`s, or one of them has a method that would never be called.
    """
    if isinstance(callbacks, Callback) or not isinstance(callbacks, (list, tuple)):
        raise ArgumentError("callbacks must be a list of lt.training.Callback, got {}".format(_shown(callbacks)))
    for each in callbacks:
        if not isinstance(each, Callback):
            raise ArgumentError(
                "callbacks has {}, which is not an lt.training.Callback: derive a class from it, and give an object of "
                "that class".format(_shown(each))
            )
        unknown = [name for name in dir(each) if name.startswith("on_") and name not in _METHODS]
        if unknown:
            raise ArgumentError("the callback {} has {}, which nothing calls: a callback's methods are {}".format(
                type(each).__name__, quoted(unknown), quoted(_METHODS)
            ))
    return list(callbacks)


def _shown(value: Any) -> str:
    return "the class {}".format(value.__name__) if isinstance(value, type) else repr(value)
