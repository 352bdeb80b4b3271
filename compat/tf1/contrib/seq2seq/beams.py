"""Tensors of beams: tile_batch, gather_tree and gather_beams."""
from typing import Any, Optional

from legacy_towers.compat.versions import tf


def tile_batch(t: Any, multiplier: int, name: Optional[str] = None) -> Any:
    """Repeats each batch element of the tensors `t`, [batch, ...], `multiplier` times.

        [A B], multiplier 3  ->  [A A A B B B]

    Returns:
      The structure `t` with tensors [batch * multiplier, ...].

    Raises:
      ValueError: a tensor has an unknown rank, or rank 0.
    """
    parts = tf.nest.flatten(t)
    with tf.name_scope(name, "tile_batch", parts + [multiplier]):
        return tf.nest.map_structure(lambda part: _tile(part, multiplier), t)


def gather_tree(
    step_ids: Any, parent_ids: Any, max_sequence_lengths: Any, end_token: Any, name: Optional[str] = None
) -> Any:
    """Returns the ids of the final beams, found by following their parents from the last step to the first.

    Args:
      step_ids: int32 [time, batch, beam], the id chosen in each step.
      parent_ids: int32 [time, batch, beam], the beam of the previous step that is continued.
      max_sequence_lengths: int32 [batch], the number of steps of each batch element.
      end_token: the id that fills each beam after its first end token.

    Returns:
      int32 [time, batch, beam].
    """
    with tf.name_scope(name, "GatherTree", [step_ids, parent_ids, max_sequence_lengths, end_token]):
        step_ids = tf.convert_to_tensor(step_ids)
        parent_ids = tf.convert_to_tensor(parent_ids)
        end = tf.cast(end_token, step_ids.dtype)
        steps, batch, beams = tf.unstack(tf.shape(step_ids))
        beam_ids = tf.tile(tf.expand_dims(tf.range(beams), 0), [batch, 1])
        lengths = tf.minimum(tf.cast(max_sequence_lengths, tf.int32), steps)
        within = tf.tile(tf.expand_dims(tf.transpose(tf.sequence_mask(lengths, steps)), 2), [1, 1, beams])

        def follow_parents(last: Any, step: Any) -> Any:
            ids, parents, inside = step
            _, beam = last
            # After the end of the batch element each beam is its own parent.
            return (
                tf.where(inside, tf.batch_gather(ids, beam), tf.fill([batch, beams], end)),
                tf.where(inside, tf.batch_gather(parents, beam), beam),
            )

        start = (tf.fill([batch, beams], end), beam_ids)
        steps_of_beams = (step_ids, parent_ids, within)
        ids, _ = tf.scan(follow_parents, steps_of_beams, initializer=start, reverse=True, back_prop=False)
        ended = tf.cumsum(tf.cast(tf.equal(ids, end), tf.int32), axis=0, exclusive=True) > 0
        ids = tf.where(ended, tf.fill(tf.shape(ids), end), ids)
        ids.set_shape(step_ids.shape)
        return ids


def gather_tree_from_array(t: Any, parent_ids: Any, sequence_length: Any) -> Any:
    """Returns `t` [time, batch, beam, ...] or [time, batch * beam, ...] reordered to match the final beams.

    Args:
      parent_ids: int32 [time, batch, beam].
      sequence_length: int [batch, beam].
    """
    steps, batch, beams = tf.unstack(tf.shape(parent_ids))
    beam_ids = tf.tile(tf.reshape(tf.range(beams), [1, 1, -1]), [steps, batch, 1])
    longest = tf.cast(tf.reduce_max(sequence_length, axis=1), tf.int32)
    ordered = gather_tree(beam_ids, parent_ids, longest, beams + 1)
    inside = tf.transpose(tf.sequence_mask(sequence_length, maxlen=steps), [2, 0, 1])
    ordered = tf.where(inside, ordered, beam_ids)
    rows = tf.batch_gather(tf.reshape(t, tf.stack([steps, batch, beams, -1])), ordered)
    return tf.reshape(rows, tf.shape(t))


def gather_beams(indices: Any, values: Any, batch_size: Any, range_size: Any, gather_shape: Any) -> Any:
    """Gathers rows of `values`, reshaped to `gather_shape`, for each beam.

    Args:
      indices: int32 [batch, beam], the row within the batch element.
      range_size: the number of rows of each batch element.
    """
    start = tf.expand_dims(tf.range(batch_size) * range_size, 1)
    rows = tf.gather(tf.reshape(values, gather_shape), tf.reshape(indices + start, [-1]))
    axes = 1 + len(gather_shape)
    rows = tf.reshape(rows, tf.shape(values)[:axes])
    static = tf.TensorShape([tf.get_static_value(batch_size)])
    rows.set_shape(static.concatenate(values.shape[1:axes]))
    return rows


def _tile(t: Any, multiplier: int) -> Any:
    t = tf.convert_to_tensor(t, name="t")
    rank = t.shape.ndims
    if rank is None or rank < 1:
        raise ValueError("t must have statically known rank")
    shape = tf.shape(t)
    tiled = tf.tile(tf.expand_dims(t, 1), [1, multiplier] + [1] * (rank - 1))
    tiled = tf.reshape(tiled, tf.concat([[shape[0] * multiplier], shape[1:]], 0))
    batch = tf.dimension_value(t.shape[0])
    tiled.set_shape(tf.TensorShape([None if batch is None else batch * multiplier]).concatenate(t.shape[1:]))
    return tiled
