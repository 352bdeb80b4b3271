"""Divides examples among several readers: equally many for each over all epochs, and files of its own for each.

With 5 examples, 4 shards can't be equal in one epoch. Each epoch therefore goes on where the one before it ended:

                      epoch 0          epoch 1          epoch 2
    examples          a b c d e        a b c d e        a b c d e
    shard             0 1 2 3 0        1 2 3 0 1        2 3 0 1 2        every 4th one is that of the same shard
    files in shards   0 0 1 2 3        0 1 1 2 3        0 1 2 2 3        as many, but consecutive ones

`offset`, the number of examples of all epochs before, or the same modulo the number of shards, decides it.
"""
import bisect
import itertools
from typing import Any, List, NamedTuple, Sequence


class Piece(NamedTuple):
    """Consecutive records of a file.

    Attributes:
      file: the number of the file.
      skip: how many records of the file are before the first one.
      take: how many records it is.
      is_whole: whether these are all records of the file.
    """

    file: int
    skip: int
    take: int
    is_whole: bool


def first_of_shard(shard: int, shards: int, offset: Any) -> Any:
    """Returns the first example of a shard of every N-th example; `offset` is a number or an int64 tensor."""
    return (shard - offset) % shards


def size_of_shard(count: int, shards: int, shard: int, offset: int) -> int:
    """Returns how many of the `count` examples of an epoch a shard has."""
    return (count - first_of_shard(shard, shards, offset) + shards - 1) // shards


def consecutive_shards(count: int, shards: int, offset: int = 0) -> List[range]:
    """Returns the numbers of the examples of each shard of consecutive ones, of `count` examples of an epoch."""
    sizes = [size_of_shard(count, shards, shard, offset) for shard in range(shards)]
    ends = list(itertools.accumulate(sizes))
    return [range(end - size, end) for size, end in zip(sizes, ends)]


def shards_by_offset(count: int, shards: int, move: bool) -> List[List[range]]:
    """Returns for each shard its examples with the offset 0, 1, 2, ...; with 0 alone, unless they move."""
    offsets = range(shards) if move and count % shards else range(1)
    return [list(each) for each in zip(*(consecutive_shards(count, shards, offset) for offset in offsets))]


def span_of(ranges: Sequence[range]) -> range:
    """Returns from the first to the last number of several ranges."""
    return range(min(each.start for each in ranges), max(each.stop for each in ranges))


def pieces_of(examples: range, ends: Sequence[int]) -> List[Piece]:
    """Returns what a reader of consecutive examples reads of each file, in the order of the files.

    Args:
      examples: their numbers, among the records of all files.
      ends: for each file, how many records it and the files before it have.
    """
    pieces = []
    number = examples.start
    for file in range(bisect.bisect_right(ends, number), len(ends)):
        if number >= examples.stop:
            break
        begin = ends[file - 1] if file else 0
        take = min(examples.stop, ends[file]) - number
        if take:
            pieces.append(Piece(file, number - begin, take, take == ends[file] - begin))
        number += take
    return pieces
