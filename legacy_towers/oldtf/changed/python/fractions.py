"""fractions with `gcd`, which Python 3.9 dropped."""
import fractions as _now
import math

globals().update({name: value for name, value in vars(_now).items() if not name.startswith("_")})
__all__ = [name for name in vars(_now) if not name.startswith("_")] + ["gcd"]


def gcd(a: int, b: int) -> int:
    """Returns the greatest common divisor; its sign is that of `b`, unless `b` is 0: then that of `a`."""
    divisor = math.gcd(a, b)
    return -divisor if (b or a) < 0 else divisor
