"""random, whose `sample` accepts sets, `shuffle` a random function and `seed` any object, as before Python 3.11."""
import random as _now
from typing import Any, Callable, List, Optional

from legacy_towers.run.libraries.views import pass_on as _pass_on

_pass_on(globals(), _now)


def sample(population: Any, k: int, **options: Any) -> List[Any]:
    """Returns `k` different elements of `population`, which may be a set or the keys of a dict."""
    if isinstance(population, (set, frozenset)) or hasattr(population, "isdisjoint"):
        population = tuple(population)
    return _now.sample(population, k, **options)


def shuffle(x: List[Any], random: Optional[Callable[[], float]] = None) -> None:
    """Shuffles the list `x` in place, with numbers in [0, 1) from the function `random` if it is given."""
    if random is None:
        _now.shuffle(x)
        return
    for last in reversed(range(1, len(x))):
        other = int(random() * (last + 1))
        x[last], x[other] = x[other], x[last]


def seed(a: Any = None, version: int = 2) -> None:
    """Seeds the generator with `a`, which may be a numpy integer or any hashable object."""
    _now.seed(_seed(a), version)


class Random(_now.Random):
    def seed(self, a: Any = None, version: int = 2) -> None:
        super().seed(_seed(a), version)


def _seed(value: Any) -> Any:
    # Python before 3.11 used the hash of other objects.
    return value if isinstance(value, (type(None), int, float, str, bytes, bytearray)) else hash(value)


def randint(a: Any, b: Any) -> int:
    """Returns a random integer in [a, b]; accepts floats without a fraction, as before Python 3.12."""
    return _now.randint(*map(_integer, (a, b)))


def randrange(start: Any, stop: Any = None, step: Any = 1) -> int:
    """Returns a random element of range(start, stop, step); accepts floats without a fraction."""
    return _now.randrange(_integer(start), None if stop is None else _integer(stop), _integer(step))


def _integer(number: Any) -> Any:
    if not isinstance(number, float):
        return number
    if number != int(number):  # a TypeError since Python 3.12
        raise ValueError("non-integer argument for randrange(): {}".format(number))
    return int(number)
