"""Summary operations that write into event files: tf.contrib.summary of TensorFlow 1."""
# Private: tried on 1.15 and 2.21. compat.v1 exports two of these functions, compat.v2 has others of these names.
from tensorflow.python.ops import summary_ops_v2 as _summary_ops
from tensorflow.python.ops.summary_ops_v2 import (
    SummaryWriter,
    all_v2_summary_ops,
    always_record_summaries,
    audio,
    create_file_writer,
    create_summary_file_writer,
    eval_dir,
    generic,
    histogram,
    image,
    import_event,
    initialize,
    never_record_summaries,
    record_summaries_every_n_global_steps,
    scalar,
    should_record_summaries,
    summary_writer_initializer_op,
)

# The function `flush` of 1.15, which also accepts a writer's resource, is `legacy_raw_flush` on 2.x. Ends with 1.15.
flush = getattr(_summary_ops, "legacy_raw_flush", _summary_ops.flush)
# The function `graph` of 1.15 is `graph_v1` on 2.x. Ends with 1.15.
graph = getattr(_summary_ops, "graph_v1", _summary_ops.graph)

__all__ = [
    "SummaryWriter",
    "all_v2_summary_ops",
    "always_record_summaries",
    "audio",
    "create_file_writer",
    "create_summary_file_writer",
    "eval_dir",
    "flush",
    "generic",
    "graph",
    "histogram",
    "image",
    "import_event",
    "initialize",
    "never_record_summaries",
    "record_summaries_every_n_global_steps",
    "scalar",
    "should_record_summaries",
    "summary_writer_initializer_op",
]
