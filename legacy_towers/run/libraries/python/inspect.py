"""inspect with `getargspec`, which Python 3.11 removed."""
import collections
import inspect as _now
from typing import Any

from legacy_towers.run.libraries.views import pass_on as _pass_on

_pass_on(globals(), _now)
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
