"""The functions, classes and methods of TensorFlow 1 that make, fill, read and run queues."""
import re
from typing import Dict, FrozenSet, Optional, Tuple

PRODUCERS = (
    "tf.train.string_input_producer",
    "tf.train.slice_input_producer",
    "tf.train.range_input_producer",
    "tf.train.input_producer",
    "tf.train.limit_epochs",
    "tf.match_filenames_once",
)
READER_CLASSES = (
    "tf.TFRecordReader",
    "tf.TextLineReader",
    "tf.FixedLengthRecordReader",
    "tf.WholeFileReader",
    "tf.IdentityReader",
    "tf.LMDBReader",
    "tf.ReaderBase",
)
BATCHERS = (
    "tf.train.batch",
    "tf.train.batch_join",
    "tf.train.shuffle_batch",
    "tf.train.shuffle_batch_join",
    "tf.train.maybe_batch",
    "tf.train.maybe_batch_join",
    "tf.train.maybe_shuffle_batch",
    "tf.train.maybe_shuffle_batch_join",
    "tf.contrib.training.bucket",
    "tf.contrib.training.bucket_by_sequence_length",
    "tf.contrib.training.batch_sequences_with_states",
    "tf.contrib.training.stratified_sample",
    "tf.contrib.training.rejection_sample",
    "tf.contrib.training.weighted_resample",
    "tf.contrib.training.resample_at_rate",
)
QUEUE_CLASSES = (
    "tf.FIFOQueue",
    "tf.RandomShuffleQueue",
    "tf.PaddingFIFOQueue",
    "tf.PriorityQueue",
    "tf.QueueBase",
    "tf.QueueBase.from_list",
)
STAGING_CLASSES = ("tf.contrib.staging.StagingArea", "tf.StagingArea", "tf.MapStagingArea")
RUNNERS = (
    "tf.train.QueueRunner",
    "tf.train.add_queue_runner",
    "tf.train.start_queue_runners",
    "tf.contrib.slim.queues.QueueRunners",
)
SESSIONS = ("tf.train.Coordinator", "tf.train.LooperThread", "tf.train.LooperThread.loop", "tf.train.Supervisor")
# An attribute: the collection of the queue runners, which scripts read and fill themselves.
COLLECTION = "tf.GraphKeys.QUEUE_RUNNERS"
INITIALIZERS = ("tf.local_variables_initializer",)
SLIM = (
    "tf.contrib.slim.prefetch_queue",
    "tf.contrib.slim.parallel_read",
    "tf.contrib.slim.single_pass_read",
    "tf.contrib.slim.ParallelReader",
    "tf.contrib.slim.DatasetDataProvider",
    "tf.contrib.slim.ParallelDataProvider",
)
LEARN = (
    "tf.contrib.learn.read_batch_examples",
    "tf.contrib.learn.read_batch_features",
    "tf.contrib.learn.read_batch_record_features",
    "tf.contrib.learn.read_keyed_batch_examples",
    "tf.contrib.learn.read_keyed_batch_features",
    "tf.contrib.learn.read_keyed_batch_examples_shared_queue",
    "tf.contrib.learn.read_keyed_batch_features_shared_queue",
    "tf.contrib.learn.queue_parsed_features",
    "tf.contrib.learn.numpy_input_fn",
    "tf.contrib.learn.pandas_input_fn",
    "tf.contrib.learn.generator_input_fn",
    "tf.estimator.inputs.numpy_input_fn",
    "tf.estimator.inputs.pandas_input_fn",
)
STATE_SAVERS = ("tf.contrib.training.SequenceQueueingStateSaver",)
# What is fed: it matters where it flows into a queue.
FED = ("tf.placeholder", "tf.placeholder_with_default")
# Descriptions of files: without a provider that reads them, they have no queue.
DESCRIPTIONS = ("tf.contrib.slim.TFExampleDecoder", "tf.contrib.slim.Dataset")
# What gives no examples of a queue: it is followed through computations only in files that make queues.
NO_EXAMPLES = FED + DESCRIPTIONS

TRACKED = frozenset(
    PRODUCERS + READER_CLASSES + BATCHERS + QUEUE_CLASSES + STAGING_CLASSES + RUNNERS + SESSIONS + INITIALIZERS
    + SLIM + LEARN + STATE_SAVERS + NO_EXAMPLES
)

_NEEDLES = (
    rb"_input_producer|\binput_producer|limit_epochs|match_filenames_once|RecordReader|TextLineReader|WholeFileReader"
    rb"|IdentityReader|LMDBReader|ReaderBase|\bbatch_join|shuffle_batch|maybe_batch|bucket_by_sequence_length|bucket_ops"
    rb"|\btraining[ \t]*\.[ \t]*bucket\b|import[^\n]*\bbucket\b|\bbatch_sequences_with_states|stratified_sample"
    rb"|rejection_sample|weighted_resample|resample_at_rate|FIFOQueue|RandomShuffleQueue|PriorityQueue|QueueBase"
    rb"|StagingArea|QueueRunner|queue_runner|QUEUE_RUNNERS|LooperThread|prefetch_queue|parallel_read|single_pass_read"
    rb"|DataProvider|read_batch_|read_keyed_batch|queue_parsed_features|QueueingStateSaver"
    rb"|numpy_input_fn|pandas_input_fn|generator_input_fn"
)
# What the text of a file with queues has. What starts and stops queues matters only in programs that import such files.
NEEDLES = re.compile(
    _NEEDLES
    + rb"|\btrain[ \t]*\.[ \t]*batch\b|\binput\w*\.batch\b|import[^\n]*\bbatch\b|\.train[ \t]+import[ \t]+\*"
    + rb"|\btraining[ \t]+import[^\n]*\binput\b"
    # tf.train by another name, or an argument.
    + rb"|\bimport\b[^\n]*\btrain\b|\b(?:tf|tensorflow|v1)\.train\b(?![ \t]*\.)"
    # All names of TensorFlow.
    + rb"|\btensorflow[ \t]+import[ \t]+\*"
)
# What the text of a notebook with queues has.
NOTEBOOK_NEEDLES = re.compile(_NEEDLES + rb"|\btrain\.batch\b")

_READER_METHODS = ("read", "read_up_to", "num_records_produced", "num_work_units_completed", "reset", "restore_state",
                   "serialize_state")
_QUEUE_METHODS = ("enqueue", "enqueue_many", "dequeue", "dequeue_many", "dequeue_up_to", "close", "size", "is_closed")
_STAGING_METHODS = ("put", "get", "peek", "size", "clear", "incomplete_size")
# Class -> (the class that its methods are named after, its methods).
_METHODS: Dict[str, Tuple[str, Tuple[str, ...]]] = {}
_METHODS.update({name: ("tf.ReaderBase", _READER_METHODS) for name in READER_CLASSES})
_METHODS.update({name: ("tf.QueueBase", _QUEUE_METHODS) for name in QUEUE_CLASSES})
_METHODS.update({name: ("tf.StagingArea", _STAGING_METHODS) for name in STAGING_CLASSES})
_METHODS["tf.train.QueueRunner"] = ("tf.train.QueueRunner", ("create_threads",))
_METHODS["tf.train.Coordinator"] = (
    "tf.train.Coordinator",
    ("clear_stop", "join", "raise_requested_exception", "register_thread", "request_stop", "should_stop",
     "stop_on_exception", "wait_for_stop"),
)
_METHODS["tf.train.Supervisor.coord"] = _METHODS["tf.train.Coordinator"]
_METHODS["tf.train.Supervisor"] = (
    "tf.train.Supervisor",
    ("managed_session", "prepare_or_wait_for_session", "should_stop", "request_stop", "start_queue_runners",
     "StartQueueRunners", "stop", "loop", "wait_for_stop", "start_standard_services"),
)
_METHODS["tf.contrib.slim.DatasetDataProvider"] = ("tf.contrib.slim.DatasetDataProvider", ("get", "list_items"))
_METHODS["tf.contrib.slim.ParallelDataProvider"] = ("tf.contrib.slim.ParallelDataProvider", ("get", "list_items"))
_METHODS["tf.contrib.slim.ParallelReader"] = (
    "tf.contrib.slim.ParallelReader", ("read", "read_up_to", "num_records_produced", "num_work_units_completed")
)
_METHODS["tf.contrib.training.SequenceQueueingStateSaver"] = (
    "tf.contrib.training.SequenceQueueingStateSaver", ("close",)
)
# Attributes that are such an object themselves.
_ATTRIBUTES = {
    ("tf.train.Supervisor", "coord"): "tf.train.Coordinator",
    # What slim.prefetch_queue and StateSaver.next_batch give.
    ("tf.contrib.slim.prefetch_queue", "dequeue"): "",
}
# Functions whose result is a queue.
QUEUE_RESULTS = PRODUCERS[:1] + PRODUCERS[2:4] + ("tf.contrib.slim.prefetch_queue",)
_METHODS.update({name: ("tf.QueueBase", _QUEUE_METHODS) for name in QUEUE_RESULTS})


def method_name(owner: str, method: str) -> Optional[str]:
    """Returns the name of a method of what the function or class `owner` gives, None if it is not one of queues.

    "read" of "tf.TFRecordReader" is "tf.ReaderBase.read"; "dequeue" of "tf.train.string_input_producer" is
    "tf.QueueBase.dequeue".
    """
    base, methods = _METHODS.get(owner, ("", ()))
    return "{}.{}".format(base, method) if method in methods else None


def method_names() -> FrozenSet[str]:
    """Returns the names of all methods that `method_name` gives."""
    return frozenset("{}.{}".format(base, method) for base, methods in _METHODS.values() for method in methods)


def attribute_class(owner: str, attribute: str) -> Optional[str]:
    """Returns the class of an attribute of an object that is itself tracked: `coord` of a Supervisor."""
    return _ATTRIBUTES.get((owner, attribute)) or None
