"""What is read from checkpoints."""
from typing import Any, Callable, Dict, List, Optional, Tuple

from legacy_towers.compat import tf
from legacy_towers.compat.framework import load_and_remap_matrix_initializer, load_embedding_initializer

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
    """Returns a reader of the checkpoint, or of the latest one in a folder."""
    return tf.train.load_checkpoint(filepattern)


def load_variable(checkpoint_dir: str, name: str) -> Any:
    """Returns the value of a variable in the checkpoint, or in the latest one of a folder, a numpy array."""
    return tf.train.load_variable(checkpoint_dir, name)


def list_variables(checkpoint_dir: str) -> List[Tuple[str, List[int]]]:
    """Returns (name, shape) of all variables in the checkpoint, or in the latest one of a folder."""
    return list(tf.train.list_variables(checkpoint_dir))


def init_from_checkpoint(checkpoint_dir: str, assignment_map: Dict[str, Any]) -> None:
    """Makes variables begin with values of the checkpoint: see tf.train.init_from_checkpoint."""
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
    """Returns an initializer that takes the biases [classes, 1] of a checkpoint in the order of another vocabulary."""
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
    """Returns an initializer of a slot, cut as its variable is: `primary_partition_info` tells how."""
    whole = load_and_remap_matrix_initializer(
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

    def of_slot(shape: Any, dtype: Any = tf.float32, partition_info: Any = None) -> Any:
        return whole(shape, dtype, partition_info=primary_partition_info)

    return of_slot
