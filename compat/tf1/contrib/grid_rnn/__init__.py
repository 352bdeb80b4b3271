"""tf.contrib.grid_rnn: Grid LSTM cells (Kalchbrenner et al., https://arxiv.org/abs/1507.01526)."""
from legacy_towers.compat.tf1.contrib.grid_rnn.cell import GridRNNCell
from legacy_towers.compat.tf1.contrib.grid_rnn.named import (
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
