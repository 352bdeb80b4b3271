"""The faults, by name."""
from typing import Dict, List, Sequence

from legacy_towers.chaos.faults.base import Fault
from legacy_towers.chaos.faults.disk import FullDisk
from legacy_towers.chaos.faults.kill import Kill
from legacy_towers.chaos.faults.nan import NanLoss
from legacy_towers.chaos.faults.records import CorruptRecord
from legacy_towers.chaos.faults.signals import Signal
from legacy_towers.chaos.faults.slow import SlowInput
from legacy_towers.chaos.faults.threads import DeadThread
from legacy_towers.errors import ArgumentError
from legacy_towers.text.names import quoted

FAULTS: Dict[str, Fault] = {
    fault.name: fault
    for fault in (Kill(), Signal(), FullDisk(), CorruptRecord(), DeadThread(), SlowInput(), NanLoss())
}


def parse_faults(text: str) -> List[str]:
    """Returns the names in a list such as "kill,signal", each once.

    Raises:
      ArgumentError: there is no such fault, or none is given.
    """
    names: Sequence[str] = [name.strip() for name in text.split(",") if name.strip()]
    unknown = [name for name in names if name not in FAULTS]
    if unknown or not names:
        raise ArgumentError("--faults {!r}: {}: the faults are {}".format(
            text, "there is no {}".format(quoted(unknown)) if unknown else "none is given", ", ".join(FAULTS)
        ))
    return list(dict.fromkeys(names))
