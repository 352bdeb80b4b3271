"""Warm start: where the initial values of a model come from. Without TensorFlow; `checkpoints/warm.py` applies it."""
import os
import re
from typing import Any, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from legacy_towers.errors import ArgumentError
from legacy_towers.text.files import working_directory_of
from legacy_towers.text.names import quoted

# variable -> name in the checkpoint; or (regular expression, replacement)s, of which the first that matches counts.
Names = Union[Mapping[str, str], Sequence[Tuple[str, str]]]


class WarmStart(NamedTuple):
    """Initial values of variables from the checkpoint of another model, or of another task.

        warm_start = lt.training.WarmStart("pretrained/model.ckpt-90000", exclude=["logits/.*"])

    It is used at the start of a run only: a run that resumes from its own checkpoint does not read it. The global step
    begins at 0, and towers' copies of variables get the same values. Moving averages begin at the values of their
    variables, unless the checkpoint has them and `slots` is true.

    Regular expressions must match a whole name.

    Attributes:
      checkpoint: a checkpoint of any TensorFlow and any `tf.train.Saver`, or a directory, whose newest valid one is
        used.
      names: the names of variables in the checkpoint, where they differ: a dict from the name of a variable, or
        (regular expression, replacement) pairs for names of variables, as `re.sub` takes them.
      include: regular expressions for the variables that get values; None: all.
      exclude: regular expressions for those that keep their initial values.
      slots: whether slots of the optimizer and moving averages get values too, where the checkpoint has them.
      strict: whether it is an error if the checkpoint lacks a variable, or has it with another shape or dtype.
    """

    checkpoint: str
    names: Names = ()
    include: Optional[Sequence[str]] = None
    exclude: Sequence[str] = ()
    slots: bool = False
    strict: bool = False

    def checked(self) -> "WarmStart":
        """Returns itself.

        Raises:
          ArgumentError: it names no checkpoint, or a regular expression or a replacement is not valid.
        """
        if not isinstance(self.checkpoint, (str, os.PathLike)) or not os.fspath(self.checkpoint):
            raise ArgumentError("--warm-start is {!r}: the name of a checkpoint is needed".format(self.checkpoint))
        for option, patterns in (("include", self.include or ()), ("exclude", self.exclude)):
            if isinstance(patterns, str):
                raise ArgumentError("warm start: {}={!r} must be a list of regular expressions".format(
                    option, patterns
                ))
            for pattern in patterns:
                _compiled(option, pattern)
        if not isinstance(self.names, Mapping):
            for pair in self.names:
                if isinstance(pair, str) or len(pair) != 2:
                    raise ArgumentError(
                        "warm start: names must be a dict, or pairs of a regular expression and a replacement, got "
                        "{!r}".format(pair)
                    )
                try:
                    _compiled("names", pair[0]).sub(pair[1], "")
                    _template(pair[0], pair[1])
                except (re.error, IndexError) as error:
                    raise ArgumentError("warm start: the replacement {!r} does not fit {!r}: {}".format(
                        pair[1], pair[0], error
                    )) from None
        return self

    def name_of(self, variable: str) -> str:
        """Returns the name in the checkpoint of a variable."""
        if isinstance(self.names, Mapping):
            return self.names.get(variable, variable)
        for pattern, replacement in self.names:
            match = re.match("(?:{})\\Z".format(pattern), variable)
            if match:
                return match.expand(replacement)
        return variable

    def is_included(self, variable: str) -> bool:
        """Returns whether a variable is to get a value."""
        chosen = self.include is None or any(_matches(pattern, variable) for pattern in self.include)
        return chosen and not any(_matches(pattern, variable) for pattern in self.exclude)

    def check_names(self, variables: Sequence[str]) -> None:
        """Raises ArgumentError if a name or a regular expression fits none of the model's variables."""
        if isinstance(self.names, Mapping):
            wrong = sorted(name for name in self.names if name not in variables)
            if wrong:
                raise ArgumentError("warm start: names has {}, and the model has no such variable; it has {}".format(
                    quoted(wrong), quoted(variables)
                ))
        patterns = [("include", pattern) for pattern in self.include or ()]
        patterns += [("exclude", pattern) for pattern in self.exclude]
        patterns += [] if isinstance(self.names, Mapping) else [("names", pair[0]) for pair in self.names]
        for option, pattern in patterns:
            if not any(_matches(pattern, name) for name in variables):
                raise ArgumentError("warm start: {!r} in {} matches none of the model's variables, which are {}".format(
                    pattern, option, quoted(variables)
                ))


def as_warm_start(value: Any) -> Optional[WarmStart]:
    """Returns a checked `WarmStart` for one, for the name of a checkpoint, or for None.

    Raises:
      ArgumentError: the value is something else, or not valid.
    """
    if value is None:
        return None
    if isinstance(value, (str, os.PathLike)):
        value = WarmStart(os.fspath(value))
    if not isinstance(value, WarmStart):
        raise ArgumentError("warm_start must be an lt.training.WarmStart or the name of a checkpoint, got {}".format(
            type(value).__name__
        ))
    return value.checked()


def check_exists(warm_start: WarmStart) -> None:
    """Raises ArgumentError if the checkpoint is on the local file system, and does not exist."""
    name = os.fspath(warm_start.checkpoint)
    if "://" not in name and not any(os.path.exists(each) for each in (name, name + ".index")):
        raise ArgumentError("--warm-start: there is no checkpoint {!r}{}: give its name without .index, as in "
                            "run/model.ckpt-100, or its directory".format(name, working_directory_of(name)))


def parse_rename(text: str) -> Tuple[str, str]:
    """Returns the regular expression and the replacement of "PATTERN=REPLACEMENT".

    Raises:
      ArgumentError: there is no "=".
    """
    pattern, equals, replacement = text.partition("=")
    if not equals or not pattern:
        raise ArgumentError("--warm-start-rename is {!r}: PATTERN=REPLACEMENT is needed".format(text))
    return pattern, replacement


def _compiled(option: str, pattern: str) -> Any:
    try:
        return re.compile(pattern)
    except (re.error, TypeError) as error:
        raise ArgumentError("warm start: {!r} in {} is not a regular expression: {}".format(
            pattern, option, error
        )) from None


def _template(pattern: str, replacement: str) -> None:
    """Raises re.error or IndexError if the replacement names a group that the expression does not have."""
    any_match = re.match("(?:{})|".format(pattern), "")
    assert any_match is not None  # it matches the empty string
    any_match.expand(replacement)


def _matches(pattern: str, name: str) -> bool:
    return re.match("(?:{})\\Z".format(pattern), name) is not None
