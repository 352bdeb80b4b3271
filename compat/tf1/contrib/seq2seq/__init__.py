"""tf.contrib.seq2seq: dynamic decoding with attention, sampling and beam search."""
from legacy_towers.compat.tf1.contrib.seq2seq.attention_wrapper import AttentionWrapper, AttentionWrapperState
from legacy_towers.compat.tf1.contrib.seq2seq.beam_search import (
    BeamSearchDecoder,
    BeamSearchDecoderOutput,
    BeamSearchDecoderState,
    FinalBeamSearchDecoderOutput,
)
from legacy_towers.compat.tf1.contrib.seq2seq.beams import gather_tree, tile_batch
from legacy_towers.compat.tf1.contrib.seq2seq.decoding import BasicDecoder, BasicDecoderOutput, Decoder, dynamic_decode
from legacy_towers.compat.tf1.contrib.seq2seq.helpers import CustomHelper, Helper, TrainingHelper
from legacy_towers.compat.tf1.contrib.seq2seq.inference_helpers import (
    GreedyEmbeddingHelper,
    InferenceHelper,
    SampleEmbeddingHelper,
)
from legacy_towers.compat.tf1.contrib.seq2seq.loss import sequence_loss
from legacy_towers.compat.tf1.contrib.seq2seq.mechanisms import (
    AttentionMechanism,
    BahdanauAttention,
    LuongAttention,
    hardmax,
)
from legacy_towers.compat.tf1.contrib.seq2seq.monotonic import (
    BahdanauMonotonicAttention,
    LuongMonotonicAttention,
    monotonic_attention,
    safe_cumprod,
)
from legacy_towers.compat.tf1.contrib.seq2seq.scheduled import (
    ScheduledEmbeddingTrainingHelper,
    ScheduledOutputTrainingHelper,
)

__all__ = [
    "AttentionMechanism",
    "AttentionWrapper",
    "AttentionWrapperState",
    "BahdanauAttention",
    "BahdanauMonotonicAttention",
    "BasicDecoder",
    "BasicDecoderOutput",
    "BeamSearchDecoder",
    "BeamSearchDecoderOutput",
    "BeamSearchDecoderState",
    "CustomHelper",
    "Decoder",
    "FinalBeamSearchDecoderOutput",
    "GreedyEmbeddingHelper",
    "Helper",
    "InferenceHelper",
    "LuongAttention",
    "LuongMonotonicAttention",
    "SampleEmbeddingHelper",
    "ScheduledEmbeddingTrainingHelper",
    "ScheduledOutputTrainingHelper",
    "TrainingHelper",
    "dynamic_decode",
    "gather_tree",
    "hardmax",
    "monotonic_attention",
    "safe_cumprod",
    "sequence_loss",
    "tile_batch",
]
