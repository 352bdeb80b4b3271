"""Divides files of records among several readers: each reads files of its own, and equally many records."""
from typing import List, NamedTuple, Sequence


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


def consecutive_shards(count: int, shards: int) -> List[range]:
    """Returns the numbers of the examples of each shard, of `count` examples.

    A shard is as large as that of every N-th example: the first ones have one more, where they can't be equal.
    """
    size, larger = divmod(count, shards)
    firsts = [index * size + min(index, larger) for index in range(shards + 1)]
    return [range(*bounds) for bounds in zip(firsts, firsts[1:])]


def pieces_of_shards(counts: Sequence[int], shards: int) -> List[List[Piece]]:
    """Returns for each of several readers what it reads of each file, in the order of the files.

        3 files a a a a  b b b b  c c c c       3 readers   [a a a a] [b b b b] [c c c c]
        2 files a a a a a a  b b                3 readers   [a a a] [a a a] [b b]

    Args:
      counts: the number of records of each file.
      shards: the number of readers.
    """
    pieces: List[List[Piece]] = []
    file = skip = 0
    for shard in consecutive_shards(sum(counts), shards):
        pieces.append([])
        left = len(shard)
        while left:
            take = min(left, counts[file] - skip)
            if take:
                pieces[-1].append(Piece(file, skip, take, take == counts[file]))
            left, skip = left - take, skip + take
            if skip == counts[file]:
                file, skip = file + 1, 0
    return pieces
