"""Reading of checkpoints, and initializers from them."""
from typing import Any, Callable, Dict, List, Optional, Tuple

from legacy_towers.compat.tf1.contrib.private.framework import (
    load_and_remap_matrix_initializer,
    load_embedding_initializer,
)
from legacy_towers.compat.versions import tf

__all__ = [
    "init_from_checkpoint",
    "list_variables",
    "load_and_remap_matrix_initializer",
    "load_checkpoint",
    "load_embedding_initializer",
    "load_linear_multiclass_bias_initializer",
    "load_variable",
    "load_variable_slot_initializer",
]


def load_checkpoint(filepattern: str) -> Any:
    """Returns a reader of a checkpoint, or of the latest checkpoint in a directory."""
    return tf.train.load_checkpoint(filepattern)


def load_variable(checkpoint_dir: str, name: str) -> Any:
    """Returns the value of a variable, as a NumPy array, in a checkpoint or the latest checkpoint in a directory."""
    return tf.train.load_variable(checkpoint_dir, name)


def list_variables(checkpoint_dir: str) -> List[Tuple[str, List[int]]]:
    """Returns (name, shape) of all variables in a checkpoint, or in the latest checkpoint in a directory."""
    return list(tf.train.list_variables(checkpoint_dir))


def init_from_checkpoint(checkpoint_dir: str, assignment_map: Dict[str, Any]) -> None:
    """Initializes variables from a checkpoint, see tf.train.init_from_checkpoint."""
    tf.train.init_from_checkpoint(checkpoint_dir, assignment_map)


def load_linear_multiclass_bias_initializer(
    ckpt_path: str,
    bias_tensor_name: str,
    new_class_vocab_size: int,
    old_class_vocab_file: str,
    new_class_vocab_file: str,
    num_class_oov_buckets: int = 0,
    initializer: Optional[Callable[..., Any]] = None,
    max_rows_in_memory: int = -1,
) -> Any:
    """Returns an initializer of biases [classes, 1] from a checkpoint with another order of the class vocabulary."""
    return load_and_remap_matrix_initializer(
        ckpt_path=ckpt_path,
        old_tensor_name=bias_tensor_name,
        new_row_vocab_size=new_class_vocab_size,
        new_col_vocab_size=1,
        old_row_vocab_file=old_class_vocab_file,
        new_row_vocab_file=new_class_vocab_file,
        num_row_oov_buckets=num_class_oov_buckets,
        initializer=tf.zeros_initializer() if initializer is None else initializer,
        max_rows_in_memory=max_rows_in_memory,
    )


def load_variable_slot_initializer(
    ckpt_path: str,
    old_tensor_name: str,
    primary_partition_info: Any,
    new_row_vocab_size: int,
    new_col_vocab_size: int,
    old_row_vocab_file: Optional[str] = None,
    new_row_vocab_file: Optional[str] = None,
    old_col_vocab_file: Optional[str] = None,
    new_col_vocab_file: Optional[str] = None,
    num_row_oov_buckets: int = 0,
    num_col_oov_buckets: int = 0,
    initializer: Optional[Callable[..., Any]] = None,
    max_rows_in_memory: int = -1,
) -> Callable[..., Any]:
    """Returns an initializer of a slot variable, partitioned by the `primary_partition_info` of its variable."""
    initialize = load_and_remap_matrix_initializer(
        ckpt_path=ckpt_path,
        old_tensor_name=old_tensor_name,
        new_row_vocab_size=new_row_vocab_size,
        new_col_vocab_size=new_col_vocab_size,
        old_row_vocab_file=old_row_vocab_file,
        new_row_vocab_file=new_row_vocab_file,
        old_col_vocab_file=old_col_vocab_file,
        new_col_vocab_file=new_col_vocab_file,
        num_row_oov_buckets=num_row_oov_buckets,
        num_col_oov_buckets=num_col_oov_buckets,
        initializer=initializer,
        max_rows_in_memory=max_rows_in_memory,
    )

    def initialize_slot(shape: Any, dtype: Any = tf.float32, partition_info: Any = None) -> Any:
        return initialize(shape, dtype, partition_info=primary_partition_info)

    return initialize_slot
