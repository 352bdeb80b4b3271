"""fractions with `gcd`, which Python 3.9 removed."""
import fractions as _now
import math

globals().update({name: value for name, value in vars(_now).items() if not name.startswith("_")})
__all__ = [name for name in vars(_now) if not name.startswith("_")] + ["gcd"]


def gcd(a: int, b: int) -> int:
    """Returns the greatest common divisor; it has the sign of `b`, or of `a` if `b` is 0."""
    divisor = math.gcd(a, b)
    return -divisor if (b or a) < 0 else divisor
