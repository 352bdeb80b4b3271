"""The names that this room serves; on TensorFlow 1.15 too, for the options of `run` hold there as well."""
from typing import Dict, Tuple

from legacy_towers.oldtf.provided import Row

_HERE = "legacy_towers.oldtf.machine."
_MAPPED = "what is put on a GPU goes where this machine has room for it, as `run` says"
_MERGED = "made with the options of `run` and with soft placement; otherwise with the script's own config"

# name -> (what serves it, what is different)
_SERVED: Dict[str, Tuple[str, str]] = {
    "tensorflow.Graph": ("graphs:Graph", _MAPPED),
    "tensorflow.python.framework.ops.Graph": ("graphs:Graph", _MAPPED),
    "tensorflow.Session": ("sessions:Session", _MERGED),
    "tensorflow.python.client.session.Session": ("sessions:Session", _MERGED),
    "tensorflow.InteractiveSession": ("sessions:InteractiveSession", _MERGED),
    "tensorflow.python.client.session.InteractiveSession": ("sessions:InteractiveSession", _MERGED),
    "tensorflow.train.Server": ("sessions:Server", _MERGED),
    "tensorflow.distribute.Server": ("sessions:Server", _MERGED),
    "tensorflow.python.training.server_lib.Server": ("sessions:Server", _MERGED),
    "tensorflow.python.training.training.Server": ("sessions:Server", _MERGED),
}

ROWS: Tuple[Row, ...] = tuple(
    Row(name, _HERE + target, on_1_15=True, note=note) for name, (target, note) in _SERVED.items()
)
