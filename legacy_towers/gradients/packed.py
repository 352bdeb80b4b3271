"""Many gradients in one: the towers' gradients packed into buckets, reduced as one tensor per bucket."""
from typing import Any, Dict, List, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients.add_n import mean
from legacy_towers.gradients.base import GradientRow, ReductionLike, TowerGradients
from legacy_towers.gradients.buckets import Bucket, fill_buckets
from legacy_towers.gradients.shapes import is_dense, static_shape
from legacy_towers.gradients.wrapping import Wrapping, arrivals

_DEFAULT_BYTES = 4 * 1024 * 1024


class Packed(Wrapping):
    """One tensor per bucket; see `packed`."""

    def __init__(self, reduction: ReductionLike, bucket_bytes: int) -> None:
        super().__init__(reduction)
        if isinstance(bucket_bytes, bool) or not isinstance(bucket_bytes, int) or bucket_bytes < 1:
            raise ArgumentError(
                "bucket_bytes is {!r}: it must be a whole number of bytes, above 0".format(bucket_bytes)
            )
        self.bucket_bytes = bucket_bytes

    def around(self, gradients: TowerGradients, state: Any) -> TowerGradients:
        rows, site = gradients.rows, gradients.site
        dense = [position for position, row in enumerate(rows) if is_dense(row)]
        buckets = fill_buckets(rows, dense, self.bucket_bytes)
        bypassing = [position for position, row in enumerate(rows) if not is_dense(row)]
        inside = [_packed(bucket, rows, site.devices) for bucket in buckets]
        inside += [rows[position] for position in bypassing]
        result = self.reduced_inside(gradients._replace(rows=inside), state)
        unpacked: Dict[int, GradientRow] = dict(zip(bypassing, result.rows[len(buckets) :]))
        for bucket, reduced in zip(buckets, result.rows):
            members = [rows[position] for position in bucket.positions]
            how = "{}, packed ({} gradients, {:,} bytes)".format(reduced.how, len(members), bucket.bytes)
            if len(members) == 1:
                results, how = [reduced.gradients], reduced.how
            else:
                results = _split(members, arrivals(reduced, site))
            for position, row, of_row in zip(bucket.positions, members, results):
                unpacked[position] = row._replace(
                    gradients=of_row, how=how, where=reduced.where, bucket=bucket.number
                )
        return result._replace(rows=[unpacked[position] for position in range(len(rows))])

    def __repr__(self) -> str:
        size = "" if self.bucket_bytes == _DEFAULT_BYTES else ", bucket_bytes={}".format(self.bucket_bytes)
        return "packed({!r}{})".format(self.reduction, size)


def packed(reduction: Optional[ReductionLike] = None, bucket_bytes: int = _DEFAULT_BYTES) -> Packed:
    """Returns the reduction that packs each tower's gradients into a few long tensors, and reduces these.

        2 towers, variables A B C D in the optimizer's order, A too large to share a bucket, all of one dtype

        tower   0              1                       0              1
                A0             A1                      A0             A1                bucket 2
                B0             B1                      B0             B1                bucket 1
                C0 D0          C1 D1          ->       [D0 C0]        [D1 C1]           bucket 0

                each bucket by `reduction`    ->       A, B, [D C]
                cut up, in its shapes         ->       A  B  C  D

    A reduction of many small tensors spends its time on their number: on what each operation costs, and with an
    all-reduce on as many waits as there are devices. In exchange two copies are made, one in and one out. Buckets hold
    one dtype and the gradients of variables on one device, and are filled from the last variable to the first, as
    backpropagation yields them, so that the first bucket is on its way while the rest is computed. A gradient that is
    alone in its bucket, such as one larger than that, is not copied. Shapes may be unknown until the graph runs.

    Sparse gradients, and those that some tower lacks, go into `reduction` by themselves. With one tower nothing is
    packed. On one machine's CPU packing wins nothing over `mean`, and large buckets lose much, as they fit no cache.

    Args:
      reduction: what makes the towers' gradients one, element by element: `mean()` if None, `sum`, `tree`,
        `collective`, `nccl`, or `compacted` around one of these.
      bucket_bytes: the most that one tower's part of a bucket of several gradients has. The default, 4 MiB, takes some
        0.3 ms over PCIe at 12 GB/s, well above what starting one reduction costs (tens of microseconds), and still
        leaves ResNet-50 with some 25 buckets, of which the first are under way early. Over 4 towers on a CPU, of 1, 4,
        16 and 64 MiB, it was the fastest for the 25.5 million float32 of that net as well.

    Raises:
      ArgumentError: `reduction` is none of these, or `bucket_bytes` is no whole number above 0.
    """
    return Packed(mean() if reduction is None else reduction, bucket_bytes)


def _packed(bucket: Bucket, rows: Sequence[GradientRow], devices: Sequence[str]) -> GradientRow:
    if len(bucket.positions) == 1:
        return rows[bucket.positions[0]]
    flat: List[Optional[Any]] = []
    for tower, device in enumerate(devices):
        with tf.device(device):
            parts = [tf.reshape(rows[position].gradients[tower], [-1]) for position in bucket.positions]
            flat.append(tf.concat(parts, axis=0))
    return GradientRow("bucket {}".format(bucket.number), None, flat, bucket.device, bucket=bucket.number)


def _split(members: Sequence[GradientRow], results: Sequence[Any]) -> List[List[Any]]:
    """Returns per row its part of each of the results, in its shape.

    Args:
      members: rows of the bucket.
      results: (device, flat tensor) of each place that needs them.
    """
    pieces = []
    for tower, (device, flat) in enumerate(results):
        with tf.device(device or None):
            like = [row.gradients[tower] for row in members]
            shapes = [static_shape(row) for row in members]
            sizes = [
                shape.num_elements() if shape.is_fully_defined() else tf.size(each) for shape, each in zip(shapes, like)
            ]
            of_place = []
            for piece, shape, each in zip(tf.split(flat, sizes, num=len(sizes)), shapes, like):
                of_place.append(tf.reshape(piece, shape if shape.is_fully_defined() else tf.shape(each)))
                of_place[-1].set_shape(shape)
            pieces.append(of_place)
    return [list(of_row) for of_row in zip(*pieces)]
