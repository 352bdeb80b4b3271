"""The names that this package supports."""
from typing import Dict, Tuple

from legacy_towers.compat.tf1.contrib.symbols import distribute, gan, modules, parts, rnn, slim
from legacy_towers.compat.tf1.symbols import Symbol

_HERE = "legacy_towers.compat.tf1.contrib."

SYMBOLS: Tuple[Symbol, ...] = (
    Symbol("tensorflow.contrib.staging", _HERE + "staging"),
    # A name of tf.estimator, but it uses tf.contrib.factorization, and estimator must not import contrib.
    Symbol("tensorflow.estimator.experimental.KMeans", _HERE + "factorization.estimator_kmeans:KMeans"),
)
SYMBOLS += slim.SYMBOLS
SYMBOLS += rnn.SYMBOLS
SYMBOLS += parts.SYMBOLS
SYMBOLS += modules.SYMBOLS
SYMBOLS += gan.SYMBOLS
SYMBOLS += distribute.SYMBOLS

UNSUPPORTED: Dict[str, str] = dict(parts.UNSUPPORTED)
UNSUPPORTED.update(slim.UNSUPPORTED)
UNSUPPORTED.update(rnn.UNSUPPORTED)
UNSUPPORTED.update(gan.UNSUPPORTED)
UNSUPPORTED.update(distribute.UNSUPPORTED)
