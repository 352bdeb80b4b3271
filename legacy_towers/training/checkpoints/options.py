"""When checkpoints of training are saved, and which are kept."""
from typing import NamedTuple, Optional, Tuple

from legacy_towers.errors import ArgumentError

FULL_DISK = ("continue", "stop")
# Seconds between two checkpoints: the default of MonitoredTrainingSession.
SAVE_SECONDS = 600.0


class CheckpointOptions(NamedTuple):
    """When checkpoints are saved, besides at the start and at the end of a run, and which are kept.

    Attributes:
      save_seconds: seconds between two checkpoints; None: by steps only. The default is 10 minutes, unless `save_steps`
        is given.
      save_steps: global steps between two checkpoints; None: by seconds only.
      keep: number of newest checkpoints to keep.
      keep_best: "max:NAME" or "min:NAME" also keeps the checkpoint with the highest or lowest value of the metric NAME
        of an evaluation, such as "max:accuracy" or "min:loss"; None: the newest only.
      on_full_disk: if a checkpoint can't be written: "continue" training, try again at the next one, and fail at the
        end only if the last one can't be written either; or "stop" at once. The earlier checkpoints stay as they are.
    """

    save_seconds: Optional[float] = None
    save_steps: Optional[int] = None
    keep: int = 5
    keep_best: Optional[str] = None
    on_full_disk: str = "continue"

    def checked(self) -> "CheckpointOptions":
        """Returns the options with the default interval filled in.

        Raises:
          ArgumentError: a value is out of range; the message names the option of the command line.
        """
        seconds = self.save_seconds
        if seconds is not None and not seconds > 0:
            raise ArgumentError("--save-seconds is {:g}: a time above 0 is needed".format(seconds))
        if self.save_steps is not None and self.save_steps < 1:
            raise ArgumentError("--save-steps is {}: at least 1 is needed".format(self.save_steps))
        if self.keep < 1:
            raise ArgumentError("--keep is {}: at least 1 is needed".format(self.keep))
        if self.on_full_disk not in FULL_DISK:
            raise ArgumentError("--on-full-disk is {!r}: allowed are 'continue' and 'stop'".format(self.on_full_disk))
        self.best()
        if seconds is None and self.save_steps is None:
            seconds = SAVE_SECONDS
        return self._replace(save_seconds=seconds)

    def best(self) -> Optional[Tuple[str, str]]:
        """Returns ("max" or "min", name of the metric) of `keep_best`; None without it.

        Raises:
          ArgumentError: it is neither "max:NAME" nor "min:NAME".
        """
        if self.keep_best is None:
            return None
        return direction_and_metric("--keep-best", self.keep_best)

    def __str__(self) -> str:
        """Returns for example "every 10 minutes and at the end; the newest 5 are kept"."""
        when = []
        if self.save_steps is not None:
            when.append("every {}".format("step" if self.save_steps == 1 else "{:,} steps".format(self.save_steps)))
        if self.save_seconds is not None:
            when.append("every {}".format(_duration(self.save_seconds)))
        best = self.best()
        kept = "the newest is kept" if self.keep == 1 else "the newest {} are kept".format(self.keep)
        if best is not None:
            kept += ", and the one with the {} {}".format("highest" if best[0] == "max" else "lowest", best[1])
        return "{} and at the end; {}".format(", ".join(when) or "at the start", kept)


def direction_and_metric(option: str, text: str) -> Tuple[str, str]:
    """Returns ("max" or "min", name of the metric) of "max:NAME" or "min:NAME".

    Raises:
      ArgumentError: it is neither; the message names `option`.
    """
    direction, _, metric = text.partition(":")
    if direction not in ("max", "min") or not metric:
        raise ArgumentError(
            "{} is {!r}: give max:METRIC or min:METRIC, such as max:accuracy or min:loss".format(option, text)
        )
    return direction, metric


def _duration(seconds: float) -> str:
    if seconds >= 60 and seconds % 60 == 0:
        return "minute" if seconds == 60 else "{:g} minutes".format(seconds / 60)
    return "second" if seconds == 1 else "{:g} seconds".format(seconds)
