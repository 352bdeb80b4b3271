"""What is expected of the scripts that read files by a reader: script -> queue or reader -> its promise.

A promise is SAME_SEQUENCE, SAME_SET, or `refused("a part of the reason")`.
"""
from migrate.corpus.expected import SAME_SEQUENCE, SAME_SET, refused

EXPECTED = {
    "augmentation_switched_by_feed": {"batch/fifo_queue": refused("its elements depend on a placeholder")},
    "captioning_inputs": {"batch_and_pad/padding_fifo_queue": SAME_SET},
    "census_read_up_to": {"shuffle_batch/random_shuffle_queue": SAME_SET},
    "char_windows_enqueue_many": {"input/shuffle_batch/random_shuffle_queue": SAME_SET},
    "cifar10_eval": {"batch/fifo_queue": SAME_SET},
    "cifar10_train": {"shuffle_batch/random_shuffle_queue": SAME_SET},
    "clicks_parse_after_batch": {"shuffle_batch/random_shuffle_queue": SAME_SET},
    "dcgan_photos": {"shuffle_batch/random_shuffle_queue": SAME_SET},
    "denoising_patches": {"batch/fifo_queue": SAME_SET},
    "estimator_input_queues": {"shuffle_batch/random_shuffle_queue": SAME_SET, "batch/fifo_queue": SAME_SEQUENCE},
    "fully_connected_reader": {"input/shuffle_batch/random_shuffle_queue": SAME_SET},
    "gzip_autoencoder": {"batch/fifo_queue": SAME_SEQUENCE},
    "inception_distorted_batches": {"batch_join/fifo_queue": SAME_SET},
    "inception_validation_records": {
        "batch_processing/ReaderReadV2": SAME_SEQUENCE,  # computes boxes, which nothing reads
        "batch_processing/batch/fifo_queue": SAME_SEQUENCE,
    },
    "iris_csv_monitored": {"shuffle_batch/random_shuffle_queue": SAME_SET},
    "keyword_spotting_wav": {"shuffle_batch/random_shuffle_queue": SAME_SET},
    "labels_from_paths": {"shuffle_batch/random_shuffle_queue": SAME_SET},
    "metrics_evaluation": {"batch/fifo_queue": SAME_SET},
    "mnist_idx_softmax": {"batch/fifo_queue": SAME_SEQUENCE},
    "nmt_parallel_text": {"batch/padding_fifo_queue": SAME_SEQUENCE},
    "npy_by_py_func": {"batch/fifo_queue": SAME_SEQUENCE},
    "only_roses_maybe_batch": {"shuffle_batch/random_shuffle_queue": SAME_SET},
    "overlapping_windows": {"shuffle_batch/random_shuffle_queue": refused("hop_bytes")},
    "own_runner_threads": {"random_shuffle_queue": SAME_SET},
    "priority_by_length": {"by_length": SAME_SET},
    "queue_size_summaries": {"ready": SAME_SET},
    "road_segmentation_pairs": {"create_inputs/batch/fifo_queue": SAME_SET},
    "road_segmentation_two_readers": {"batch/fifo_queue": SAME_SEQUENCE},
    "sentence_classifier_text": {"batch/padding_fifo_queue": SAME_SET},
    "serialized_chunks": {"examples/fifo_queue": SAME_SEQUENCE},
    "speaker_frames_supervisor": {"batch/padding_fifo_queue": SAME_SET},
    "speech_padding_queue": {"padding_fifo_queue": SAME_SET},
    "style_transfer_cond": {"content/batch/fifo_queue": SAME_SET},
    "train_and_validation_queues": {
        "train_input/shuffle_batch/random_shuffle_queue": SAME_SET,
        "validation_input/batch/fifo_queue": SAME_SEQUENCE,
    },
    "vgg_features": {"batch/fifo_queue": SAME_SEQUENCE},
    "video_clips_nested": {"clips/random_shuffle_queue": SAME_SET},
}
