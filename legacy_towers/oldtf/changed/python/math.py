"""math, whose functions take an array of one number for the number, as numpy let them."""
import functools
import math as _now
from typing import Any, Callable

globals().update({name: value for name, value in vars(_now).items() if not name.startswith("_")})


def _of_numbers(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def called(*arguments: Any, **options: Any) -> Any:
        try:
            return function(*arguments, **options)
        except TypeError:
            from legacy_towers.oldtf.changed import mixed_numbers

            numbers = [mixed_numbers.number_of(each) for each in arguments]
            if all(number is each for number, each in zip(numbers, arguments)):
                raise
        return function(*numbers, **options)

    return called


globals().update({name: _of_numbers(value) for name, value in dict(globals()).items() if value is getattr(_now, name, 0)
                  and callable(value)})  # fmt: skip
