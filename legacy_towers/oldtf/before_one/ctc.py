"""tf.contrib.ctc, which became part of tf.nn with TensorFlow 0.9."""
from legacy_towers.compat import tf
from legacy_towers.oldtf.before_one.reordered import ctc_loss

ctc_beam_search_decoder = tf.nn.ctc_beam_search_decoder
ctc_greedy_decoder = tf.nn.ctc_greedy_decoder

__all__ = ["ctc_beam_search_decoder", "ctc_greedy_decoder", "ctc_loss"]
