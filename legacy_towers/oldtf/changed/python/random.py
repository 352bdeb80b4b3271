"""random, whose `sample` takes a set, `shuffle` a source of numbers and `seed` anything, as before Python 3.11."""
import random as _now
from typing import Any, Callable, List, Optional

globals().update({name: value for name, value in vars(_now).items() if not name.startswith("_")})
__all__ = list(_now.__all__)


def sample(population: Any, k: int, **options: Any) -> List[Any]:
    """Returns `k` different elements of `population`, a set or a view of a dict's keys too."""
    if isinstance(population, (set, frozenset)) or hasattr(population, "isdisjoint"):
        population = tuple(population)
    return _now.sample(population, k, **options)


def shuffle(x: List[Any], random: Optional[Callable[[], float]] = None) -> None:
    """Shuffles the list `x` in place, by numbers from [0, 1) that `random` returns where it is given."""
    if random is None:
        _now.shuffle(x)
        return
    for last in reversed(range(1, len(x))):
        other = int(random() * (last + 1))
        x[last], x[other] = x[other], x[last]


def seed(a: Any = None, version: int = 2) -> None:
    """Starts the numbers anew from `a`: numpy's integers and all that has a hash will do."""
    _now.seed(_seed(a), version)


class Random(_now.Random):
    def seed(self, a: Any = None, version: int = 2) -> None:
        super().seed(_seed(a), version)


def _seed(value: Any) -> Any:
    # What Python did with what is neither a number of its own nor a text.
    return value if isinstance(value, (type(None), int, float, str, bytes, bytearray)) else hash(value)


def randint(a: Any, b: Any) -> int:
    """Returns a random integer in [a, b]; whole numbers that are floats will do, as before Python 3.12."""
    return _now.randint(*map(_whole, (a, b)))


def randrange(start: Any, stop: Any = None, step: Any = 1) -> int:
    """Returns an element of range(start, stop, step); whole numbers that are floats will do."""
    return _now.randrange(_whole(start), None if stop is None else _whole(stop), _whole(step))


def _whole(number: Any) -> Any:
    if not isinstance(number, float):
        return number
    if number != int(number):  # a TypeError since Python 3.12
        raise ValueError("non-integer argument for randrange(): {}".format(number))
    return int(number)
