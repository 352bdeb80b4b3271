"""The names that this room serves."""
from typing import Dict, Tuple

from legacy_towers.oldtf.contrib import module_rows, parts_rows, rnn_rows, slim_rows
from legacy_towers.oldtf.provided import Row

ROWS: Tuple[Row, ...] = (
    Row("tensorflow.contrib.staging", "legacy_towers.oldtf.contrib.staging"),
)
ROWS += slim_rows.ROWS
ROWS += rnn_rows.ROWS
ROWS += parts_rows.ROWS
ROWS += module_rows.ROWS

REASONS: Dict[str, str] = dict(parts_rows.REASONS)
REASONS.update(slim_rows.REASONS)
REASONS.update(rnn_rows.REASONS)
