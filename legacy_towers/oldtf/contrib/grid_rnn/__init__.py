"""tf.contrib.grid_rnn: cells that recur along several dimensions at once (https://arxiv.org/abs/1507.01526)."""
from legacy_towers.oldtf.contrib.grid_rnn.cell import GridRNNCell
from legacy_towers.oldtf.contrib.grid_rnn.named import (
    Grid1BasicLSTMCell,
    Grid1BasicRNNCell,
    Grid1LSTMCell,
    Grid2BasicLSTMCell,
    Grid2BasicRNNCell,
    Grid2GRUCell,
    Grid2LSTMCell,
    Grid3LSTMCell,
)

__all__ = [
    "Grid1BasicLSTMCell",
    "Grid1BasicRNNCell",
    "Grid1LSTMCell",
    "Grid2BasicLSTMCell",
    "Grid2BasicRNNCell",
    "Grid2GRUCell",
    "Grid2LSTMCell",
    "Grid3LSTMCell",
    "GridRNNCell",
]
