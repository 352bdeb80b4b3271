"""fractions with `gcd`, which Python 3.9 removed."""
import fractions as _now
import math

from legacy_towers.run.libraries.views import pass_on as _pass_on

_pass_on(globals(), _now)


def gcd(a: int, b: int) -> int:
    """Returns the greatest common divisor; it has the sign of `b`, or of `a` if `b` is 0."""
    divisor = math.gcd(a, b)
    return -divisor if (b or a) < 0 else divisor
