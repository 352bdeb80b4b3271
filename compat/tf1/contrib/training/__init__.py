"""tf.contrib.training: train and evaluation loops, HParams, bucketing, resampling and sequence queues."""
from legacy_towers.compat.tf1.contrib.slim_library.tf_slim.training.evaluation import (
    StopAfterNEvalsHook,
    SummaryAtEndHook,
    checkpoints_iterator,
    evaluate_once,
    evaluate_repeatedly,
    get_or_create_eval_step,
    wait_for_new_checkpoint,
)
from legacy_towers.compat.tf1.contrib.slim_library.tf_slim.training.training import (
    add_gradients_summaries,
    clip_gradient_norms,
    clip_gradient_norms_fn,
    create_train_op,
    multiply_gradients,
    train,
)
from legacy_towers.compat.tf1.contrib.training.bucket_ops import bucket, bucket_by_sequence_length
from legacy_towers.compat.tf1.contrib.training.device_setter import (
    GreedyLoadBalancingStrategy,
    RandomStrategy,
    byte_size_load_fn,
)
from legacy_towers.compat.tf1.contrib.training.feeding import FeedingQueueRunner
from legacy_towers.compat.tf1.contrib.training.hparam import HParams, parse_values
from legacy_towers.compat.tf1.contrib.training.resample import resample_at_rate, weighted_resample
from legacy_towers.compat.tf1.contrib.training.sampling_ops import rejection_sample, stratified_sample
from legacy_towers.compat.tf1.contrib.training.sequence_states import (
    NextQueuedSequenceBatch,
    SequenceQueueingStateSaver,
    batch_sequences_with_states,
)

__all__ = [
    "FeedingQueueRunner",
    "GreedyLoadBalancingStrategy",
    "HParams",
    "NextQueuedSequenceBatch",
    "RandomStrategy",
    "SequenceQueueingStateSaver",
    "StopAfterNEvalsHook",
    "SummaryAtEndHook",
    "add_gradients_summaries",
    "batch_sequences_with_states",
    "bucket",
    "bucket_by_sequence_length",
    "byte_size_load_fn",
    "checkpoints_iterator",
    "clip_gradient_norms",
    "clip_gradient_norms_fn",
    "create_train_op",
    "evaluate_once",
    "evaluate_repeatedly",
    "get_or_create_eval_step",
    "multiply_gradients",
    "parse_values",
    "rejection_sample",
    "resample_at_rate",
    "stratified_sample",
    "train",
    "wait_for_new_checkpoint",
    "weighted_resample",
]
