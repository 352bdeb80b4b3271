"""tf.contrib.legacy_seq2seq.python.ops.seq2seq, with the private names that scripts use."""
from legacy_towers.compat.tf1.contrib.legacy_seq2seq import *  # noqa: F403
from legacy_towers.compat.tf1.contrib.legacy_seq2seq.decoders import extract_argmax_and_embed
from legacy_towers.compat.tf1.core.linear import Linear, linear  # noqa: F401

_extract_argmax_and_embed = extract_argmax_and_embed
