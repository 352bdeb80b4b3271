"""What is the same in all towers' gradients, of a regularization: it is added once, not once per tower."""
from typing import Any, Optional

from legacy_towers.compat import tf
from legacy_towers.gradients.base import GradientRow, Reduction, Site, TowerGradients


def updated(reduction: Reduction, gradients: TowerGradients, state: Any) -> TowerGradients:
    """Returns `reduction.update(gradients, state)`, with what is the same in all towers' gradients in its place.

    What a mean or a sum makes one gets it once, afterwards, in place of once per tower. Before anything else, such as
    clipping each tower's gradients, it becomes part of each of them. A variable whose gradients a reduction drops drops
    it as well.
    """
    if reduction.passes_once or all(row.once is None for row in gradients.rows):
        return reduction.update(gradients, state)
    if reduction.needs_whole:
        return reduction.update(with_what_is_the_same(gradients), state)
    before = {row.name: row for row in gradients.rows}
    plain = gradients._replace(rows=[row._replace(once=None) for row in gradients.rows])
    result = reduction.update(plain, state)
    if not result.reduced:
        return result._replace(rows=[row._replace(once=_kept(row, before[row.name])) for row in result.rows])
    factor = _counted_towers(gradients.site) if reduction.sums else 1
    return result._replace(rows=[_completed(row, before[row.name], factor) for row in result.rows])


def with_what_is_the_same(gradients: TowerGradients) -> TowerGradients:
    """Returns gradients of which each is whole: what is the same in all towers' has become part of each."""
    rows = []
    for row in gradients.rows:
        # Without any gradient of a tower it goes on by itself: there is nothing that it could be added to.
        if row.once is not None and any(gradient is not None for gradient in row.gradients):
            added = [None if each is None else _dense_sum(each, row.once) for each in row.gradients]
            row = row._replace(gradients=added, once=None)
        elif row.once is not None:
            row = row._replace(gradients=[row.once] * len(row.gradients), once=None)
        rows.append(row)
    return gradients._replace(rows=rows)


def _kept(row: GradientRow, before: GradientRow) -> Optional[Any]:
    was_dropped = all(each is None for each in row.gradients) and any(each is not None for each in before.gradients)
    return None if was_dropped else before.once


def _counted_towers(site: Site) -> Any:
    """Returns how many towers a sum is of: one of share 0 is left out; a number, or a scalar tensor."""
    if site.shares is None:
        return len(site.devices)
    if not site.shares_vary:
        return len([share for share in site.shares if share > 0])
    return tf.add_n([tf.cast(tf.greater(share, 0), tf.int32) for share in site.shares])


def _completed(row: GradientRow, before: GradientRow, factor: Any) -> GradientRow:
    once = _kept(row, before)
    if once is None:
        return row
    with tf.device(row.device or None):
        if tf.is_tensor(factor) or factor != 1:
            once = once * tf.cast(factor, once.dtype)
        return row._replace(gradients=[once if each is None else _dense_sum(each, once) for each in row.gradients])


def _dense_sum(gradient: Any, addition: Any) -> Any:
    """Returns the sum of two gradients of one variable, dense even where one is sparse: a decay is of every row."""
    return tf.add(tf.convert_to_tensor(gradient), tf.convert_to_tensor(addition))
