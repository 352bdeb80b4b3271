"""The modules below tf.contrib.seq2seq.python.ops that scripts import: all names, and private names of TensorFlow 1.15.

Scripts subclass these, for example for location-sensitive attention.
"""
from legacy_towers.compat.tf1.contrib.seq2seq import *  # noqa: F403
from legacy_towers.compat.tf1.contrib.seq2seq.attention_wrapper import compute_attention
from legacy_towers.compat.tf1.contrib.seq2seq.beam_scores import (
    get_attention_probs,  # noqa: F401
    get_scores,
    length_penalty,
    mask_finished,
)
from legacy_towers.compat.tf1.contrib.seq2seq.beams import gather_tree_from_array  # noqa: F401
from legacy_towers.compat.tf1.contrib.seq2seq.decoding import create_zero_outputs
from legacy_towers.compat.tf1.contrib.seq2seq.helpers import categorical_sample, unstack_to_array  # noqa: F401
from legacy_towers.compat.tf1.contrib.seq2seq.mechanisms import (
    BaseAttentionMechanism,
    bahdanau_score,
    luong_score,
    mask_scores,
    prepare_memory,
)
from legacy_towers.compat.tf1.contrib.seq2seq.monotonic import BaseMonotonicAttentionMechanism, monotonic_probability_fn
from legacy_towers.compat.tf1.private.rnn import transpose_batch_time
from legacy_towers.compat.versions import keras_modules

_BaseAttentionMechanism = BaseAttentionMechanism
_BaseMonotonicAttentionMechanism = BaseMonotonicAttentionMechanism
_bahdanau_score = bahdanau_score
_compute_attention = compute_attention
_create_zero_outputs = create_zero_outputs
_get_scores = get_scores
_length_penalty = length_penalty
_luong_score = luong_score
_mask_probs = mask_finished
_monotonic_probability_fn = monotonic_probability_fn
_prepare_memory = prepare_memory
_transpose_batch_time = transpose_batch_time
_unstack_ta = unstack_to_array
_zero_state_tensors = keras_modules.cells_module()._zero_state_tensors


def _maybe_mask_score(score, memory_sequence_length=None, memory_mask=None, score_mask_value=None):  # type: ignore
    # The argument order of 1.15. Before 1.14 it was (score, memory_sequence_length, score_mask_value).
    if isinstance(memory_mask, float):
        memory_mask, score_mask_value = None, memory_mask
    return mask_scores(score, memory_sequence_length, score_mask_value, memory_mask)
