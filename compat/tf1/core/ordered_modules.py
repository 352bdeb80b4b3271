"""Views of TensorFlow's modules with the positional arguments of TensorFlow 1.15.

    view("tf", tf, {}).math.top_k(x, 1, True, "best")      "best" is the name

TensorFlow's modules stay as they are. Each function is made at the first use of its name. Names of tf.keras are those
of the installed Keras: `legacy-towers run` changes the arguments of its classes in place.
"""
import functools
from typing import Any, Callable, Mapping

from legacy_towers.compat.tf1.core.replaced_functions import ARGUMENTS
from legacy_towers.compat.versions.module_view import ModuleView


def view(name: str, module: Any, replaced: Mapping[str, Callable[[], Any]]) -> ModuleView:
    """Returns a view of `module` whose functions take positional arguments in the order of TensorFlow 1.15.

    Args:
      name: "tf", or the name of a module below it, such as "tf.math".
      module: the module.
      replaced: attribute -> function that returns its value, for what else the view has.
    """
    found = dict(replaced)
    above = (name + ".")[len("tf.") :]
    for path in (each[len(above) :] for each in ARGUMENTS if each.startswith(above)):
        attribute, _, below = path.partition(".")
        if above + attribute != "keras":
            make = _module if below else _function
            found[attribute] = functools.partial(make, above + attribute, module)
    return ModuleView(name, module, replaced=found)


def _module(name: str, parent: Any) -> Any:
    return view("tf." + name, getattr(parent, name.rpartition(".")[2]), {})


def _function(name: str, parent: Any) -> Any:
    from legacy_towers.compat.tf1.core import orders  # reads the recorded arguments of 1.15

    return orders.in_order(getattr(parent, name.rpartition(".")[2]), name)
