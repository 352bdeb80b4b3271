"""inspect with `getargspec`, which Python 3.11 removed."""
import collections
import inspect as _now
from typing import Any

globals().update({name: value for name, value in vars(_now).items() if not name.startswith("_")})
__all__ = [name for name in vars(_now) if not name.startswith("_")] + ["getargspec", "ArgSpec"]
ArgSpec = collections.namedtuple("ArgSpec", "args varargs keywords defaults")


def getargspec(func: Any) -> ArgSpec:
    """Returns the names and defaults of the arguments of `func`.

    Raises:
      ValueError: `func` has keyword-only arguments or annotations.
    """
    spec = _now.getfullargspec(func)
    if spec.kwonlyargs or spec.annotations:
        raise ValueError("{!r} has keyword-only arguments or annotations: use inspect.signature".format(func))
    return ArgSpec(spec.args, spec.varargs, spec.varkw, spec.defaults)
