"""The checks, one subject per file; importing this package registers them."""
from legacy_towers.doctor.checks import (  # noqa: F401
    coordinator,
    decoding_threads,
    epoch_counter,
    frequent_summaries,
    growing_graph,
    open_sessions,
    queue_capacity,
    same_batch,
    shuffle_size,
    shuffled_names,
    staging_area,
    unfilled_queue,
    update_ops,
)
