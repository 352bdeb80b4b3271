"""Embedding lookups of tf.contrib.layers."""
from typing import Any, Optional

from legacy_towers.compat.tf1.contrib.slim_library.tf_slim.ops.variables import model_variable
from legacy_towers.compat.versions import tf

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
    """Returns the combined embeddings of each row of `sparse_ids`; see tf.nn.safe_embedding_lookup_sparse.

    Args:
      embedding_weights: the embedding matrix [vocab_size, embed_dim], or a list of its partitions.
      sparse_ids: SparseTensor of ids [batch, ids per row]; negative ids are ignored.
      sparse_weights: SparseTensor with a weight for each id; with other combiners than "sum", ids without a positive
        weight are ignored.
      combiner: "mean", "sqrtn" or "sum"; None is "mean".
      default_id: the id used for empty rows; None: their embedding is zero.
      name: name scope of the ops.
      partition_strategy: "div" or "mod".
      max_norm: the maximum norm to which each embedding is clipped; None: no clipping.

    Returns:
      [batch, embed_dim].

    Raises:
      ValueError: `embedding_weights` is empty.
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
    """Returns the embeddings of `ids`; looks up repeated ids once.

    Args:
      params: the embedding matrix [vocab_size, embed_dim], or a list of its partitions.
      ids: int tensor of any shape.
      partition_strategy: "mod" or "div".
      name: name scope of the ops.

    Returns:
      A tensor of shape ids.shape + [embed_dim].
    """
    with tf.name_scope(name, "EmbeddingLookupUnique", [params, ids]):
        ids = tf.convert_to_tensor(ids)
        shape = tf.shape(ids)
        static = ids.shape
        unique, indices = tf.unique(tf.reshape(ids, [-1]))
        unique_embeddings = tf.nn.embedding_lookup(params, unique, partition_strategy=partition_strategy)
        embedded = tf.gather(unique_embeddings, indices)
        embedded = tf.reshape(embedded, tf.concat([shape, tf.shape(unique_embeddings)[1:]], 0))
        embedded.set_shape(static.concatenate(unique_embeddings.shape[1:]))
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
      vocab_size: the number of ids.
      embed_dim: the depth of the embeddings.
      unique: whether repeated ids are looked up once.
      initializer: of the variable "embeddings"; None: the scope's.
      regularizer: of the variable.
      trainable: whether the variable is trainable.
      scope: the variable scope.
      reuse: whether an existing variable is used.

    Raises:
      ValueError: `vocab_size` or `embed_dim` is not given and `reuse` is false.
    """
    if not (reuse or (vocab_size and embed_dim)):
        raise ValueError(
            "Must specify vocab size and embedding dimension when not reusing. Got vocab_size={} and "
            "embed_dim={}".format(vocab_size, embed_dim)
        )
    with tf.variable_scope(scope, "EmbedSequence", [ids], reuse=reuse):
        has_shape = not (reuse and vocab_size is None or embed_dim is None)
        embeddings = model_variable(
            "embeddings",
            shape=[vocab_size, embed_dim] if has_shape else None,
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
    """Returns the mean of the embeddings of each row of `ids`, [batch, embed_dim] (bag of words).

    Args:
      ids: int tensor [batch, length], dense or sparse.
      vocab_size: the number of ids.
      embed_dim: the depth of the embeddings.
      sparse_lookup: whether id 0 is ignored as padding; rows without another id get the embedding of id 0.
      initializer: of the variable "embeddings"; None: the scope's.
      regularizer: of the variable.
      trainable: whether the variable is trainable.
      scope: the variable scope.
      reuse: whether an existing variable is used.

    Raises:
      ValueError: `vocab_size` or `embed_dim` is not given.
      TypeError: `ids` is sparse and `sparse_lookup` is false.
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
        sparse = ids if is_sparse else _to_sparse(tf.convert_to_tensor(ids))
        return safe_embedding_lookup_sparse([embeddings], sparse, combiner="mean", default_id=0)


def _to_sparse(ids: Any) -> Any:
    indices = tf.where(tf.not_equal(ids, tf.zeros([], ids.dtype)))
    return tf.SparseTensor(indices, tf.gather_nd(ids, indices), tf.shape(ids, out_type=tf.int64))
