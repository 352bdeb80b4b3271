"""What is expected of the scripts that read slices, join, sort or share queues: script -> queue or reader -> promise.

A promise is SAME_SEQUENCE, SAME_SET, or `refused("a part of the reason")`.
"""
from migrate.corpus.expected import SAME_SEQUENCE, SAME_SET, refused

# Queues of parsed features, behind the examples.
_LEARN = ("read_batch_features/fifo_queue", "read_batch_features/fifo_queue_1")

EXPECTED = {
    "buckets_of_aspect_ratios": {"bucket/top_queue": SAME_SET},
    "buckets_of_lengths": {"bucket_by_sequence_length/bucket/top_queue": SAME_SET},
    "curriculum_by_priority": {"curriculum": SAME_SET},
    "estimator_read_batch_features": {_LEARN[0]: SAME_SET, _LEARN[1]: SAME_SEQUENCE},
    "gan_with_noise": {"shuffle_batch/random_shuffle_queue": SAME_SET},
    "inception_two_stages": {"batch_processing/batch_join/fifo_queue": SAME_SET},
    "joined_readers": {"batch_join/fifo_queue": SAME_SET},
    "learn_read_batch_examples": {"read_signals/fifo_queue": SAME_SEQUENCE},
    "limited_epochs": {"data/batch/fifo_queue": SAME_SEQUENCE},
    "maybe_batch_of_rare_labels": {"batch/fifo_queue": SAME_SEQUENCE},
    "mean_in_a_variable": {"reader/batch/fifo_queue": SAME_SEQUENCE},
    "padded_sentences": {"batch_and_pad/padding_fifo_queue": SAME_SET},
    "ptb_windows": {"Train/TrainInput/input_producer": SAME_SEQUENCE},
    "queue_chosen_by_index": {"GatherV2_DequeueMany": refused("which queue it reads is not known before the run")},
    "queue_of_batches": {"fifo_queue_1": SAME_SET},
    "queue_sizes_in_summaries": {"pipeline/batch/fifo_queue": SAME_SET},
    "restored_then_evaluated": {"batch/fifo_queue": SAME_SET, "eval_batch/fifo_queue": SAME_SEQUENCE},
    "rows_of_input_producer": {"rows/rows": SAME_SEQUENCE},
    "seeded_shuffles": {"batches/shuffle_batch/random_shuffle_queue": SAME_SET},
    "semi_supervised": {
        "inputs/shuffle_batch/random_shuffle_queue": SAME_SET,
        "inputs/shuffle_batch_1/random_shuffle_queue": SAME_SET,
        "inputs/shuffle_batch_2/random_shuffle_queue": SAME_SET,
    },
    "several_enqueue_operations": {"mixed": SAME_SET},
    "siamese_pairs": {"batch/fifo_queue": SAME_SEQUENCE},
    "slices_of_jpegs_augmented": {"input/shuffle_batch/random_shuffle_queue": SAME_SET},
    "slices_of_numpy_arrays": {"input/batch/fifo_queue": SAME_SEQUENCE},
    "slices_of_png_names": {"batch/fifo_queue": SAME_SET},
    "slim_data_provider": {"batch/fifo_queue": SAME_SET},
    "slim_parallel_reader": {"batch/fifo_queue": SAME_SET},
    "slim_prefetch_for_clones": {"prefetch_queue/fifo_queue": SAME_SET},
    "staged_behind_a_batch": {"batch_processing/batch/fifo_queue": SAME_SEQUENCE},
    "towers_of_a_split_batch": {"batch/fifo_queue": SAME_SEQUENCE},
    "towers_of_one_shuffling_queue": {"examples": SAME_SET},
    "towers_with_their_own_batches": {
        "tower_0/shuffle_batch/random_shuffle_queue": SAME_SET,
        "tower_1/shuffle_batch/random_shuffle_queue": SAME_SET,
    },
    "train_or_valid_by_cond": {
        "input_train/shuffle_batch/random_shuffle_queue": SAME_SET,
        "input_valid/batch/fifo_queue": SAME_SEQUENCE,
    },
    "vocabulary_table": {"batch/padding_fifo_queue": SAME_SEQUENCE},
}
