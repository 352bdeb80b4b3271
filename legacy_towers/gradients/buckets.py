"""Which gradients travel together: buckets by dtype, by where the result is needed, and by bytes."""
from typing import Any, Dict, List, NamedTuple, Sequence, Tuple

from legacy_towers.gradients.base import GradientRow
from legacy_towers.gradients.shapes import static_shape


class Bucket(NamedTuple):
    """Gradients that travel as one.

    Attributes:
      number: 0 and up, in the order in which they are filled.
      dtype: of all of them.
      device: where the results are needed.
      positions: of the rows, from the last to the first.
      bytes: of one tower's; gradients of unknown size count as nothing.
    """

    number: int
    dtype: Any
    device: str
    positions: List[int]
    bytes: int


def fill_buckets(rows: Sequence[GradientRow], positions: Sequence[int], bucket_bytes: int) -> List[Bucket]:
    """Returns buckets of at most `bucket_bytes` over the rows at `positions`; a larger gradient has one for itself.

    They are filled from the last row to the first: backpropagation ends with the first variables, so that a bucket of
    last ones is complete, and on its way, while the others' gradients are still computed.

    Args:
      rows: with dense gradients in all towers at `positions`.
      positions: ascending.
      bucket_bytes: above 0.
    """
    buckets: List[Bucket] = []
    filling: Dict[Tuple[Any, str], int] = {}
    for position in reversed(positions):
        row = rows[position]
        dtype = row.gradients[0].dtype
        key = (dtype, row.device)
        size = (static_shape(row).num_elements() or 0) * dtype.size
        if key in filling and size <= bucket_bytes and buckets[filling[key]].bytes + size <= bucket_bytes:
            bucket = buckets[filling[key]]
            bucket.positions.append(position)
            buckets[filling[key]] = bucket._replace(bytes=bucket.bytes + size)
            continue
        if size <= bucket_bytes:
            filling[key] = len(buckets)
        buckets.append(Bucket(len(buckets), dtype, row.device, [position], size))
    return buckets
