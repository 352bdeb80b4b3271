"""Finds the newest valid checkpoint of a directory, and reports those that are not."""
import os
import re
import warnings
from typing import List, NamedTuple, Optional

from legacy_towers.errors import JobError
from legacy_towers.text.names import listed
from legacy_towers.training.checkpoints import files
from legacy_towers.training.checkpoints.manifest import SUFFIX
from legacy_towers.training.checkpoints.marks import marked_names
from legacy_towers.training.checkpoints.state_file import STATE_FILE, State, read_state
from legacy_towers.training.checkpoints.verify import damage, step_in
from legacy_towers.training.settings import no_checkpoint

# The name that checkpoints of training have, before "-" and the step.
BASENAME = "model.ckpt"
_FILE = re.compile(r"(.+)(?:\.index|\.data-\d{5}-of-\d{5}|" + re.escape(SUFFIX) + r")$")
# The second number is that of a checkpoint that was written again, with other values at the same step.
_NUMBERED = re.compile(r"(.+?)-(\d+)(?:-\d+)?$")


class Newest(NamedTuple):
    """The newest valid checkpoint of a directory.

    Attributes:
      checkpoint: its prefix, as `tf.train.Saver` takes it; None if the directory has no checkpoint.
      step: its global step; None if it has none.
      damaged: the prefixes of newer checkpoints that are damaged or incomplete.
      problems: what was found wrong, in sentences without a period: one for each of these, and what is wrong with the
        file "checkpoint".
    """

    checkpoint: Optional[str]
    step: Optional[int]
    damaged: List[str]
    problems: List[str]

    def step_to_resume(self) -> int:
        """Returns the global step that training resumes from; 0 without a checkpoint.

        Raises:
          JobError: the checkpoint has no global step.
        """
        if self.checkpoint is not None and self.step is None:
            raise JobError(
                "the checkpoint {} has no global step: training can't resume from it".format(self.checkpoint)
            )
        return self.step or 0


class Listed(NamedTuple):
    """A checkpoint of a directory, complete or not: its name, and its global step if that is known."""

    name: str
    step: Optional[int]


def find_newest(directory: str) -> Newest:
    """Finds the checkpoint with the highest global step among those that are complete and undamaged.

    The file "checkpoint" is not needed for it: checkpoints named "model.ckpt-STEP" are found by their files. It only
    adds checkpoints of other names. Where neither finds any, every checkpoint in the directory counts.

    Raises:
      JobError: the directory has checkpoints, or a file "checkpoint", but no valid checkpoint; the message names all.
    """
    state = read_state(directory)
    damaged: List[str] = []
    missing: List[str] = []
    problems: List[str] = []
    for name, step in list_checkpoints(directory, state):
        prefix = os.path.join(directory, name)
        if not _has_files(directory, name):
            missing.append(prefix)
            continue
        wrong = damage(prefix)
        if not wrong:
            problems += _not_there(directory, missing) + _state_problems(directory, state, name)
            return Newest(prefix, step, damaged + missing, problems)
        damaged.append(prefix)
        problems.append("the checkpoint {} is damaged: {}".format(prefix, wrong))
    problems += state.problems + _not_there(directory, missing)
    if not problems:
        return Newest(None, None, [], [])
    raise JobError("{}: restore {} files, or delete {} to start from step 0".format(
        "; ".join(problems),
        "its" if len(damaged + missing) == 1 else "their",
        "the checkpoints" if damaged else os.path.join(directory, STATE_FILE),
    ))


def require_newest(directory: str) -> str:
    """Returns the prefix of the newest valid checkpoint of a directory; warns of what is wrong with newer ones.

    Raises:
      JobError: there is none.
    """
    newest = find_newest(directory)
    if newest.checkpoint is None:
        raise no_checkpoint(directory)
    warn_of_problems(newest)
    return newest.checkpoint


def warn_of_problems(newest: Newest) -> None:
    """Issues a warning for each problem that was found."""
    for problem in newest.problems:
        warnings.warn("{}; using {}".format(problem, newest.checkpoint), stacklevel=2)


def list_checkpoints(directory: str, state: Optional[State] = None) -> List[Listed]:
    """Returns the checkpoints of a directory, the newest first, by their global steps; damaged ones are included.

    Those that a run is writing or removing at this moment are not.
    """
    state = read_state(directory) if state is None else state
    marked = marked_names(directory)
    present = names_of_files(files.names_in(directory))
    families = {BASENAME} | {_family(name) for name in state.names}
    found = [name for name in present if _family(name) in families]
    found += [name for name in state.names if name not in found]
    listed = [
        Listed(name, _step_of(os.path.join(directory, name)))
        for name in found or present
        if name not in marked or files.exists(os.path.join(directory, name + ".index"))
    ]
    return sorted(listed, key=lambda each: (-1 if each.step is None else each.step, each.name), reverse=True)


def names_of_files(names: List[str]) -> List[str]:
    """Returns the names of the checkpoints that files belong to, each once, sorted."""
    return sorted({match.group(1) for match in map(_FILE.match, names) if match})


def _family(name: str) -> str:
    """Returns the name of a checkpoint without its number."""
    numbered = _NUMBERED.match(name)
    return numbered.group(1) if numbered else name


def _step_of(prefix: str) -> Optional[int]:
    step = step_in(prefix)
    numbered = _NUMBERED.match(prefix)
    return int(numbered.group(2)) if step is None and numbered else step


def _not_there(directory: str, missing: List[str]) -> List[str]:
    """Returns a sentence on the checkpoints that the state file names and that have no files."""
    path = os.path.join(directory, STATE_FILE)
    if not missing:
        return []
    return ["{} names {}, which {} not exist".format(path, listed(missing), "do" if missing[1:] else "does")]


def _has_files(directory: str, name: str) -> bool:
    return name in names_of_files(files.names_in(directory)) or files.exists(os.path.join(directory, name))


def _state_problems(directory: str, state: State, newest: str) -> List[str]:
    """Returns what the user should know of the state file, where `newest` is the newest valid checkpoint."""
    path = os.path.join(directory, STATE_FILE)
    if not state.exists:
        return ["{} is missing".format(path)]
    named = state.newest
    if state.problems or named is None or named == newest or not _has_files(directory, named):
        return list(state.problems)
    return ["{} names {}, but {} is the newest valid checkpoint".format(path, named, newest)]
