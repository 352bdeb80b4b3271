"""tf.contrib.legacy_seq2seq.python.ops.seq2seq, with what is private there and scripts copied from."""
from legacy_towers.oldtf.contrib.legacy_seq2seq import *  # noqa: F403
from legacy_towers.oldtf.contrib.legacy_seq2seq.decoders import extract_argmax_and_embed
from legacy_towers.oldtf.contrib.rnn.linear import Linear, linear  # noqa: F401

_extract_argmax_and_embed = extract_argmax_and_embed
