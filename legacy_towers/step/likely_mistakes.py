"""Warns of what is allowed but seldom meant: towers on one device, and steps larger than the data."""
import warnings
from typing import Dict, List, Sequence

from legacy_towers.inputs.base import InputPlan
from legacy_towers.tensor_types import DeviceString
from legacy_towers.text.names import listed


def warn_of_shared_devices(devices: Sequence[DeviceString]) -> None:
    """Warns, once per device, of towers that share it."""
    towers: Dict[DeviceString, List[int]] = {}
    for tower, device in enumerate(devices):
        towers.setdefault(device, []).append(tower)
    for device, sharing in towers.items():
        if len(sharing) > 1:
            warnings.warn(
                "towers {} share the device {!r}, so that they wait for each other".format(
                    listed(map(str, sharing)), device
                ),
                stacklevel=3,
            )


def warn_of_large_batches(plan: InputPlan) -> None:
    """Warns of a step that has more examples than the data."""
    if plan.examples is not None and plan.global_batch_size is not None and plan.global_batch_size > plan.examples:
        warnings.warn(
            "each step takes {:,} examples, and {} has {:,}: an example is several times in a step".format(
                plan.global_batch_size, plan.source, plan.examples
            ),
            stacklevel=3,
        )
