"""tf.contrib.ctc, whose functions are in tf.nn since TensorFlow 0.9."""
from legacy_towers.compat.tf1.pre_1_0.reordered import ctc_loss
from legacy_towers.compat.versions import tf

ctc_beam_search_decoder = tf.nn.ctc_beam_search_decoder
ctc_greedy_decoder = tf.nn.ctc_greedy_decoder

__all__ = ["ctc_beam_search_decoder", "ctc_greedy_decoder", "ctc_loss"]
