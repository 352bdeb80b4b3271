"""The names that this room serves."""
from typing import Tuple

from legacy_towers.oldtf.provided import Row

ROWS: Tuple[Row, ...] = ()
