"""The options of a dataset, and how they are applied to it."""
from typing import Any, Dict, NamedTuple, Optional

from legacy_towers.compat import tf
from legacy_towers.compat.versions.data import set_deterministic, set_private_threads
from legacy_towers.tensor_types import Dataset


class Options(NamedTuple):
    """The options of a dataset; see `dataset`. With `shards_files` the route "sharded" divides files."""

    prefetch: int
    parallel_calls: Optional[int]
    deterministic: Optional[bool]
    private_threads: Optional[int]
    read_buffer_bytes: Optional[int]
    shards_files: bool = False

    def details(self) -> Dict[str, Any]:
        """Returns the options that are set, for the plan."""
        details: Dict[str, Any] = {"prefetch": "{} steps".format(self.prefetch)}
        for name in ("parallel_calls", "deterministic", "private_threads", "read_buffer_bytes"):
            if getattr(self, name) is not None:
                details[name] = getattr(self, name)
        return details

    def applied(self, dataset_: Dataset) -> Dataset:
        """Returns `dataset_` with the options that are set by tf.data.Options."""
        if self.deterministic is None and self.private_threads is None:
            return dataset_
        options = tf.data.Options()
        if self.deterministic is not None:
            set_deterministic(options, self.deterministic)
        if self.deterministic is False:
            # Otherwise TensorFlow fuses parsing and batching into an operation that always keeps the order.
            options.experimental_optimization.map_and_batch_fusion = False
        if self.private_threads is not None:
            set_private_threads(options, self.private_threads)
        return dataset_.with_options(options)
