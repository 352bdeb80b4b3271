"""What a run of a few steps needs to know of the run that it stands for."""
import os
import shutil
from typing import Optional

from legacy_towers.specs.keywords import AUTO
from legacy_towers.training.checkpoints import files
from legacy_towers.training.checkpoints.marks import files_of
from legacy_towers.training.checkpoints.newest import find_newest
from legacy_towers.training.choices import is_asynchronous, with_choices
from legacy_towers.training.devices import tower_devices
from legacy_towers.training.job import Job
from legacy_towers.training.overfitting import on_few_batches
from legacy_towers.training.runs.setup import End, batch_sizes, find_end
from legacy_towers.training.settings import TrainSettings

# Examples per tower that are evaluated: two batches.
EVALUATED = 200


def planned_end(job: Job, settings: TrainSettings) -> End:
    """Returns where the run itself ends."""
    sizes = batch_sizes(job, settings)
    devices = tower_devices(settings.device, settings.towers, settings.soft_placement)
    chosen = with_choices(job, settings.variables, settings.reduction, devices)
    asynchronous = chosen.variables != AUTO and is_asynchronous(chosen, devices)
    chosen, settings, _ = on_few_batches(chosen, settings, None if asynchronous else sizes.global_)
    return find_end(chosen, settings, sizes.per_tower if asynchronous else sizes.global_)


def copy_newest(directory: Optional[str], target: str) -> int:
    """Copies the checkpoint from which the run would resume; returns its step, or 0 if there is none."""
    if directory is None or files.is_remote(directory) or not os.path.isdir(directory):
        return 0
    newest = find_newest(directory)
    step = newest.step_to_resume()
    if newest.checkpoint is not None:
        os.makedirs(target)
        for each in files_of(directory, os.path.basename(newest.checkpoint)):
            shutil.copyfile(os.path.join(directory, each), os.path.join(target, each))
    return step
