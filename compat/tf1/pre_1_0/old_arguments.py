"""Functions of 1.x whose arguments had other positions or names before TensorFlow 1.0.

    tf.cond(flag, one, two, "choose")            a name by position, where 1.x has another argument
    tf.train.batch(tensor_list=[image], ...)     a keyword that has another name in 1.x

Calls with the arguments of 1.x are passed to TensorFlow unchanged.
"""
import functools
from typing import Any, Callable, List

from legacy_towers.compat.tf1 import user_script
from legacy_towers.compat.tf1.core import dotted_names, orders, pools
from legacy_towers.compat.tf1.core.replaced_functions import ARGUMENTS
from legacy_towers.compat.tf1.pre_1_0.tables import KEYWORDS, NAME_AT
from legacy_towers.compat.versions import tf

# Strings that 1.x accepts at positions where `name` was.
_NO_NAMES = ("NHWC", "NCHW", "NDHWC", "NCDHW", "mod", "div")


def __getattr__(name: str) -> Any:
    return dotted_names.find(name, __dir__(), _accepting)


def __dir__() -> List[str]:
    return sorted(set(NAME_AT) | set(KEYWORDS))


def _accepting(name: str) -> Callable[..., Any]:
    function = _of_1_x(name)
    positions = NAME_AT.get(name, ())
    renamed = dict(each.split("=") for each in KEYWORDS.get(name, "").split())

    @functools.wraps(function)
    def accepting(*arguments: Any, **keywords: Any) -> Any:
        for old in [each for each in keywords if each in renamed]:
            user_script.report_replacement(
                "tf.{}({}=...)".format(name, old), "tf.{}({}=...)".format(name, renamed[old])
            )
            keywords[renamed[old]] = keywords.pop(old)
        last = arguments[-1] if arguments else None
        if len(arguments) - 1 in positions and isinstance(last, str) and last not in _NO_NAMES:
            user_script.report_replacement(
                "tf.{}(..., {!r})".format(name, last), "tf.{}(..., name={!r})".format(name, last)
            )
            keywords["name"], arguments = last, arguments[:-1]
        return function(*arguments, **keywords)

    return accepting


def _of_1_x(name: str) -> Any:
    if name in ("nn.avg_pool3d", "nn.max_pool3d") and not tf.__version__.startswith("1.15"):
        return getattr(pools, name[len("nn.") :])
    return orders.ordered(name) if name in ARGUMENTS else functools.reduce(getattr, name.split("."), tf)
