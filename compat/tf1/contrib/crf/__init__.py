"""tf.contrib.crf: linear-chain conditional random fields over sequences of tags."""
from legacy_towers.compat.tf1.contrib.crf.cells import (
    CrfDecodeBackwardRnnCell,
    CrfDecodeForwardRnnCell,
    CrfForwardRnnCell,
)
from legacy_towers.compat.tf1.contrib.crf.decoding import crf_decode, viterbi_decode
from legacy_towers.compat.tf1.contrib.crf.likelihood import (
    crf_binary_score,
    crf_log_likelihood,
    crf_log_norm,
    crf_multitag_sequence_score,
    crf_sequence_score,
    crf_unary_score,
)

__all__ = [
    "CrfDecodeBackwardRnnCell",
    "CrfDecodeForwardRnnCell",
    "CrfForwardRnnCell",
    "crf_binary_score",
    "crf_decode",
    "crf_log_likelihood",
    "crf_log_norm",
    "crf_multitag_sequence_score",
    "crf_sequence_score",
    "crf_unary_score",
    "viterbi_decode",
]
