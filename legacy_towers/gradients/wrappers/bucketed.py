"""`bucketed`: the towers' gradients concatenated into buckets, and reduced as one tensor per bucket."""
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients.base import GradientRow, ReductionLike, TowerGradients, is_dense, static_shape
from legacy_towers.gradients.sums.add_n import mean
from legacy_towers.gradients.wrappers.base import Wrapper, result_devices

_DEFAULT_BYTES = 4 * 1024 * 1024


class Bucket(NamedTuple):
    """Gradients that are reduced as one tensor.

    Attributes:
      number: from 0, in the order in which buckets are created.
      dtype: the dtype of all of them.
      device: the device where their results are needed.
      positions: the positions of their rows, from the last to the first.
      bytes: the size of one tower's part; gradients of unknown size count as 0.
    """

    number: int
    dtype: Any
    device: str
    positions: List[int]
    bytes: int


class Bucketed(Wrapper):
    """One tensor per bucket; see `bucketed`."""

    def __init__(self, reduction: ReductionLike, bucket_bytes: int) -> None:
        super().__init__(reduction)
        if isinstance(bucket_bytes, bool) or not isinstance(bucket_bytes, int) or bucket_bytes < 1:
            raise ArgumentError(
                "bucket_bytes is {!r}: it must be an integer number of bytes, at least 1".format(bucket_bytes)
            )
        self.bucket_bytes = bucket_bytes

    def update_wrapped(self, gradients: TowerGradients, state: Any) -> TowerGradients:
        rows, context = gradients.rows, gradients.context
        dense = [position for position, row in enumerate(rows) if is_dense(row)]
        buckets = fill_buckets(rows, dense, self.bucket_bytes)
        unbucketed = [position for position, row in enumerate(rows) if not is_dense(row)]
        bucket_rows = [_concatenated(bucket, rows, context.devices) for bucket in buckets]
        bucket_rows += [rows[position] for position in unbucketed]
        result = self.update_inner(gradients._replace(rows=bucket_rows), state)
        split_rows: Dict[int, GradientRow] = dict(zip(unbucketed, result.rows[len(buckets) :]))
        for bucket, reduced in zip(buckets, result.rows):
            members = [rows[position] for position in bucket.positions]
            reduced_by = "{}, bucketed ({} gradients, {:,} bytes)".format(
                reduced.reduced_by, len(members), bucket.bytes
            )
            if len(members) == 1:
                results, reduced_by = [reduced.gradients], reduced.reduced_by
            else:
                results = _split(members, result_devices(reduced, context))
            for position, row, of_row in zip(bucket.positions, members, results):
                split_rows[position] = row._replace(
                    gradients=of_row, reduced_by=reduced_by, reduced_on=reduced.reduced_on, bucket=bucket.number
                )
        return result._replace(rows=[split_rows[position] for position in range(len(rows))])

    def __repr__(self) -> str:
        size = "" if self.bucket_bytes == _DEFAULT_BYTES else ", bucket_bytes={}".format(self.bucket_bytes)
        return "bucketed({!r}{})".format(self.reduction, size)


def bucketed(reduction: Optional[ReductionLike] = None, bucket_bytes: int = _DEFAULT_BYTES) -> Bucketed:
    """Returns the reduction that concatenates each tower's gradients into a few long tensors and reduces these.

        2 towers, variables A B C D in the optimizer's order, A larger than a bucket, all of one dtype

        tower   0              1                       0              1
                A0             A1                      A0             A1                bucket 2
                B0             B1                      B0             B1                bucket 1
                C0 D0          C1 D1          ->       [D0 C0]        [D1 C1]           bucket 0

                each bucket by `reduction`    ->       A, B, [D C]
                split, in their shapes        ->       A  B  C  D

    The time of reducing many small tensors depends on their number: each operation has a fixed cost, and an all-reduce
    waits for every device. Buckets cost two copies, one before and one after. A bucket holds gradients of one dtype and
    of variables on one device. Buckets are filled from the last variable to the first, as backpropagation yields the
    gradients, so that the first bucket is sent while the rest is computed. A gradient that is alone in its bucket, such
    as one larger than `bucket_bytes`, is not copied. Shapes may be unknown until the graph runs.

    Sparse gradients, and those that some tower lacks, are passed to `reduction` by themselves. With one tower there are
    no buckets. On the CPUs of one machine buckets are not faster than `mean`, and large ones are much slower, since
    they fit into no cache.

    Args:
      reduction: the elementwise reduction of the towers' gradients to one: None for `mean()`, or `sum`, `tree`,
        `collective`, `nccl`, or `compressed` around one of these.
      bucket_bytes: the largest size, in bytes, of one tower's part of a bucket of several gradients. The default, 4
        MiB, takes about 0.3 ms over PCIe at 12 GB/s, far more than starting one reduction (tens of microseconds), and
        still gives ResNet-50 about 25 buckets, of which the first are sent early. Over 4 towers on a CPU it was also
        the fastest of 1, 4, 16 and 64 MiB for that net's 25.5 million float32 numbers.

    Raises:
      ArgumentError: `reduction` is none of these, or `bucket_bytes` is not an integer of at least 1.

    Source of the method: tensor fusion in Horovod (Sergeev, Del Balso 2018); the order of the buckets is that of
    PyTorch's DistributedDataParallel (Li et al. 2020, "PyTorch Distributed").
    """
    return Bucketed(mean() if reduction is None else reduction, bucket_bytes)


def _concatenated(bucket: Bucket, rows: Sequence[GradientRow], devices: Sequence[str]) -> GradientRow:
    if len(bucket.positions) == 1:
        return rows[bucket.positions[0]]
    flat: List[Optional[Any]] = []
    for tower, device in enumerate(devices):
        with tf.device(device):
            flattened = [tf.reshape(rows[position].gradients[tower], [-1]) for position in bucket.positions]
            flat.append(tf.concat(flattened, axis=0))
    return GradientRow("bucket {}".format(bucket.number), None, flat, bucket.device, bucket=bucket.number)


def _split(members: Sequence[GradientRow], results: Sequence[Any]) -> List[List[Any]]:
    """Returns, per row, its part of each of the results, in its shape.

    Args:
      results: (device, flat tensor) for each device that needs them.
    """
    pieces = []
    for tower, (device, flat) in enumerate(results):
        with tf.device(device or None):
            originals = [row.gradients[tower] for row in members]
            shapes = [static_shape(row) for row in members]
            sizes = [
                shape.num_elements() if shape.is_fully_defined() else tf.size(each)
                for shape, each in zip(shapes, originals)
            ]
            pieces_on_device = []
            for piece, shape, each in zip(tf.split(flat, sizes, num=len(sizes)), shapes, originals):
                pieces_on_device.append(tf.reshape(piece, shape if shape.is_fully_defined() else tf.shape(each)))
                pieces_on_device[-1].set_shape(shape)
            pieces.append(pieces_on_device)
    return [list(of_row) for of_row in zip(*pieces)]


def fill_buckets(rows: Sequence[GradientRow], positions: Sequence[int], bucket_bytes: int) -> List[Bucket]:
    """Returns buckets of at most `bucket_bytes` for the rows at `positions`; a larger gradient gets its own.

    They are filled from the last row to the first: backpropagation ends with the first variables, so that a bucket of
    the last ones is complete, and can be sent, while the other gradients are still computed.

    Args:
      rows: all rows; those at `positions` have a dense gradient in every tower.
      positions: ascending.
      bucket_bytes: at least 1.
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
