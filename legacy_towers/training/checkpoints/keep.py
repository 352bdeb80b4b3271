"""Which checkpoints of a directory are kept; the others are removed."""
from typing import Collection

from legacy_towers.training.checkpoints import files
from legacy_towers.training.checkpoints.best import read_best
from legacy_towers.training.checkpoints.marks import remove_unfinished, unfinished
from legacy_towers.training.checkpoints.newest import BASENAME, list_checkpoints
from legacy_towers.training.checkpoints.options import CheckpointOptions
from legacy_towers.training.checkpoints.state_file import STATE_FILE, write_state
from legacy_towers.training.checkpoints.write import remove_checkpoint


def remove_others(directory: str, options: CheckpointOptions, damaged: Collection[str]) -> None:
    """Removes the checkpoints that are not kept, and writes the file "checkpoint" with those that are.

    Damaged checkpoints are not in it, and do not count. They are removed once they are older than all that are kept. A
    later checkpoint than the newest one of this run is never removed.

    Args:
      damaged: the names of damaged checkpoints.
    """
    best = None if options.keep_best is None else read_best(directory, options.keep_best)
    listed = [each.name for each in list_checkpoints(directory)]
    valid = [name for name in listed if name not in damaged]
    newest = valid[: options.keep]
    kept = [name for name in valid if name in newest or best is not None and name == best.checkpoint]
    try:
        # First the state, so that it never names what is removed.
        files.make_directory(unfinished(directory))
        write_state(directory, kept[::-1], unfinished(directory, STATE_FILE))
        for name in listed[listed.index(newest[-1]) + 1 :]:
            if name not in kept and name.startswith(BASENAME + "-"):
                remove_checkpoint(directory, name)
    finally:
        remove_unfinished(directory)
