"""Embeddings of ids: tables that are looked up."""
from typing import Any, Optional

from legacy_towers.compat import tf
from legacy_towers.oldtf.contrib.slim_library.tf_slim.ops.variables import model_variable

__all__ = ["bow_encoder", "embed_sequence", "embedding_lookup_unique", "safe_embedding_lookup_sparse"]


def safe_embedding_lookup_sparse(
    embedding_weights: Any,
    sparse_ids: Any,
    sparse_weights: Any = None,
    combiner: Optional[str] = None,
    default_id: Optional[int] = None,
    name: Optional[str] = None,
    partition_strategy: str = "div",
    max_norm: Optional[float] = None,
) -> Any:
    """Returns, for each row of `sparse_ids`, its embeddings combined; see tf.nn.safe_embedding_lookup_sparse.

    Args:
      embedding_weights: the table [ids, size], or its parts.
      sparse_ids: sparse ids [rows, ids of a row]; ids below 0 are left out.
      sparse_weights: a weight for each id; ids of no positive weight are left out, but of a "sum".
      combiner: "mean", "sqrtn" or "sum"; None is "mean".
      default_id: the id of an empty row; None: zeros.
      name: of the operations.
      partition_strategy: of the parts, "div" or "mod".
      max_norm: to which each embedding is clipped.

    Raises:
      ValueError: there is no table.
    """
    return tf.nn.safe_embedding_lookup_sparse(
        embedding_weights,
        sparse_ids,
        sparse_weights=sparse_weights,
        combiner=combiner or "mean",
        default_id=default_id,
        name=name,
        partition_strategy=partition_strategy,
        max_norm=max_norm,
    )


def embedding_lookup_unique(params: Any, ids: Any, partition_strategy: str = "mod", name: Optional[str] = None) -> Any:
    """Returns the embeddings of `ids`, each looked up once however often it stands there.

    Args:
      params: the table [ids, size], or its parts.
      ids: int tensor of any shape.
      partition_strategy: of the parts, "mod" or "div".
      name: of the operations.

    Returns:
      A tensor of the shape of `ids`, and the size.
    """
    with tf.name_scope(name, "EmbeddingLookupUnique", [params, ids]):
        ids = tf.convert_to_tensor(ids)
        shape = tf.shape(ids)
        static = ids.shape
        unique, places = tf.unique(tf.reshape(ids, [-1]))
        found = tf.nn.embedding_lookup(params, unique, partition_strategy=partition_strategy)
        embedded = tf.gather(found, places)
        embedded = tf.reshape(embedded, tf.concat([shape, tf.shape(found)[1:]], 0))
        embedded.set_shape(static.concatenate(found.shape[1:]))
        return embedded


def embed_sequence(
    ids: Any,
    vocab_size: Optional[int] = None,
    embed_dim: Optional[int] = None,
    unique: bool = False,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    scope: Any = None,
    reuse: Optional[bool] = None,
) -> Any:
    """Returns the embeddings [batch, length, embed_dim] of `ids` [batch, length].

    Args:
      ids: int tensor.
      vocab_size: rows of the table.
      embed_dim: its columns.
      unique: whether to look each id up once.
      initializer: of the table, the variable "embeddings"; None: the scope's.
      regularizer: of the table.
      trainable: whether it is.
      scope: the variable scope.
      reuse: whether the table is there already.

    Raises:
      ValueError: the table is new, and its size is not given.
    """
    if not (reuse or (vocab_size and embed_dim)):
        raise ValueError(
            "Must specify vocab size and embedding dimension when not reusing. Got vocab_size={} and "
            "embed_dim={}".format(vocab_size, embed_dim)
        )
    with tf.variable_scope(scope, "EmbedSequence", [ids], reuse=reuse):
        known = not (reuse and vocab_size is None or embed_dim is None)
        embeddings = model_variable(
            "embeddings",
            shape=[vocab_size, embed_dim] if known else None,
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
        )
        return embedding_lookup_unique(embeddings, ids) if unique else tf.nn.embedding_lookup(embeddings, ids)


def bow_encoder(
    ids: Any,
    vocab_size: int,
    embed_dim: int,
    sparse_lookup: bool = True,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    scope: Any = None,
    reuse: Optional[bool] = None,
) -> Any:
    """Returns, for each row of `ids`, the mean of its embeddings: [batch, embed_dim].

    Args:
      ids: int tensor [batch, length], sparse or not.
      vocab_size: rows of the table.
      embed_dim: its columns.
      sparse_lookup: whether id 0 is padding, and an empty row is of id 0.
      initializer: of the table, the variable "embeddings"; None: the scope's.
      regularizer: of the table.
      trainable: whether it is.
      scope: the variable scope.
      reuse: whether the table is there already.

    Raises:
      ValueError: the size of the table is not given.
      TypeError: `ids` is sparse, but not `sparse_lookup`.
    """
    if not vocab_size or not embed_dim:
        raise ValueError("Must specify vocab size and embedding dimension")
    is_sparse = isinstance(ids, tf.SparseTensor)
    if is_sparse and not sparse_lookup:
        raise TypeError("ids are expected to be dense Tensor, got: {}".format(ids))
    with tf.variable_scope(scope, "bow_encoder", [ids], reuse=reuse):
        embeddings = model_variable(
            "embeddings",
            shape=[vocab_size, embed_dim],
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
        )
        if not sparse_lookup:
            return tf.reduce_mean(tf.nn.embedding_lookup(embeddings, ids), axis=1)
        sparse = ids if is_sparse else _without_zeros(tf.convert_to_tensor(ids))
        return safe_embedding_lookup_sparse([embeddings], sparse, combiner="mean", default_id=0)


def _without_zeros(ids: Any) -> Any:
    indices = tf.where(tf.not_equal(ids, tf.zeros([], ids.dtype)))
    return tf.SparseTensor(indices, tf.gather_nd(ids, indices), tf.shape(ids, out_type=tf.int64))
