"""The names of TensorFlow's API, whatever module a script imports them from.

    tensorflow.compat.v1.train.batch, tensorflow.python.training.input.batch      tf.train.batch
    tensorflow.contrib.slim.prefetch_queue.prefetch_queue                         tf.contrib.slim.prefetch_queue
"""
import functools
from typing import Optional

# Modules that are TensorFlow, or a part of it, under another name.
_ROOTS = (
    ("tensorflow.compat.v1", "tf"),
    ("tensorflow.contrib", "tf.contrib"),
    ("tensorflow", "tf"),
    ("tf_slim", "tf.contrib.slim"),
    # Scripts import it in the place of TensorFlow, all of whose names it has.
    ("sugartensor", "tf"),
)
# Its name `tf` is TensorFlow.
_OURS = "legacy_towers.compat"
# Beginning of a name -> what it is in the public API; the first that fits counts.
_HOMES = (
    ("tf.compat.v1.", "tf."),
    ("tf.python.training.training.", "tf.train."),
    ("tf.python.training.input.", "tf.train."),
    ("tf.python.training.queue_runner_impl.", "tf.train."),
    ("tf.python.training.queue_runner.", "tf.train."),
    ("tf.python.training.coordinator.", "tf.train."),
    ("tf.python.training.supervisor.", "tf.train."),
    ("tf.python.training.monitored_session.", "tf.train."),
    ("tf.python.training.session_manager.", "tf.train."),
    ("tf.python.ops.data_flow_ops.", "tf."),
    ("tf.python.ops.gen_data_flow_ops.", "tf.raw_ops."),
    ("tf.python.ops.io_ops.", "tf."),
    ("tf.python.ops.variables.", "tf."),
    ("tf.python.ops.array_ops.", "tf."),
    ("tf.python.ops.parsing_ops.", "tf."),
    ("tf.python.client.session.", "tf."),
    ("tf.train.queue_runner.", "tf.train."),
    ("tf.train.input.", "tf.train."),
    ("tf.queue.", "tf."),
    ("tf.io.", "tf."),
    ("tf.train.match_filenames_once", "tf.match_filenames_once"),
    ("tf.contrib.framework.local_variable_initializer", "tf.local_variables_initializer"),
    ("tf.initialize_local_variables", "tf.local_variables_initializer"),
    ("tf.initializers.local_variables", "tf.local_variables_initializer"),
    ("tf.initialize_all_variables", "tf.global_variables_initializer"),
    ("tf.contrib.slim.python.slim.data.", "tf.contrib.slim."),
    ("tf.contrib.slim.python.slim.", "tf.contrib.slim."),
    ("tf.contrib.slim.data.", "tf.contrib.slim."),
    ("tf.contrib.slim.learning.supervisor.", "tf.train."),
    ("tf.contrib.slim.prefetch_queue.", "tf.contrib.slim."),
    ("tf.contrib.slim.parallel_reader.", "tf.contrib.slim."),
    ("tf.contrib.slim.dataset_data_provider.", "tf.contrib.slim."),
    ("tf.contrib.slim.tfexample_decoder.", "tf.contrib.slim."),
    ("tf.contrib.slim.dataset.", "tf.contrib.slim."),
    ("tf.contrib.learn.python.learn.learn_io.graph_io.", "tf.contrib.learn."),
    ("tf.contrib.learn.python.learn.learn_io.numpy_io.", "tf.contrib.learn."),
    ("tf.contrib.learn.python.learn.learn_io.pandas_io.", "tf.contrib.learn."),
    ("tf.contrib.learn.python.learn.learn_io.generator_io.", "tf.contrib.learn."),
    ("tf.contrib.learn.python.learn.learn_io.", "tf.contrib.learn."),
    ("tf.contrib.learn.python.learn.", "tf.contrib.learn."),
    ("tf.contrib.learn.io.numpy_io.", "tf.contrib.learn."),
    ("tf.contrib.learn.io.pandas_io.", "tf.contrib.learn."),
    ("tf.contrib.learn.io.generator_io.", "tf.contrib.learn."),
    ("tf.contrib.learn.io.", "tf.contrib.learn."),
    ("tf.contrib.training.python.training.bucket_ops.", "tf.contrib.training."),
    ("tf.contrib.training.python.training.sequence_queueing_state_saver.", "tf.contrib.training."),
    ("tf.contrib.staging.python.ops.", "tf.contrib.staging."),
    ("tf.FIFOQueue.from_list", "tf.QueueBase.from_list"),
    ("tf.RandomShuffleQueue.from_list", "tf.QueueBase.from_list"),
    ("tf.PaddingFIFOQueue.from_list", "tf.QueueBase.from_list"),
    ("tf.PriorityQueue.from_list", "tf.QueueBase.from_list"),
    ("tf.python.estimator.inputs.numpy_io.", "tf.estimator.inputs."),
    ("tf.python.estimator.inputs.pandas_io.", "tf.estimator.inputs."),
    ("tf.python.estimator.inputs.inputs.", "tf.estimator.inputs."),
)


def canonical_name(dotted: str) -> Optional[str]:
    """Returns the name of the public API, beginning with `tf`, of a dotted name as it is imported.

    Args:
      dotted: the full name: "tensorflow.python.ops.data_flow_ops.FIFOQueue".

    Returns:
      The name: "tf.FIFOQueue"; for a module the name with which those of its content begin. None if it is not
      TensorFlow's.
    """
    package, _, rest = dotted.partition(".tf")
    if package == _OURS and (not rest or rest.startswith(".")):
        return canonical("tf" + rest)
    for root, short in _ROOTS:
        if dotted == root or dotted.startswith(root + "."):
            return canonical(short + dotted[len(root) :])
    return None


@functools.lru_cache(maxsize=65536)
def canonical(name: str) -> str:
    """Returns the public name of `name`, which begins with `tf`: "tf.queue.FIFOQueue" is "tf.FIFOQueue"."""
    for home, public in _HOMES:
        if name == home or home.endswith(".") and name.startswith(home) and len(name) > len(home):
            return canonical(public + name[len(home) :])
    return name
