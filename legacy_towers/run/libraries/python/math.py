"""math, whose functions accept an array with one element, as with numpy before 2.4."""
import functools
import math as _now
from typing import Any, Callable

from legacy_towers.run.libraries.views import pass_on as _pass_on

_pass_on(globals(), _now)


def _with_arrays(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def called(*arguments: Any, **options: Any) -> Any:
        try:
            return function(*arguments, **options)
        except TypeError:
            from legacy_towers.run.rewriting import mixed_numbers

            numbers = [mixed_numbers.number_of(each) for each in arguments]
            if all(number is each for number, each in zip(numbers, arguments)):
                raise
        return function(*numbers, **options)

    return called


for _name, _value in vars(_now).items():
    if callable(_value) and not _name.startswith("_"):
        globals()[_name] = _with_arrays(_value)
