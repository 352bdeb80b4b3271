"""The names that this room serves."""
from typing import Tuple

from legacy_towers.oldtf.contrib import rnn_rows, slim_rows
from legacy_towers.oldtf.provided import Row

ROWS: Tuple[Row, ...] = (
    Row("tensorflow.contrib.staging", "legacy_towers.oldtf.contrib.staging"),
)
ROWS += slim_rows.ROWS
ROWS += rnn_rows.ROWS
