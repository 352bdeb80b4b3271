"""Gives a shim all names of the module that it replaces, except those that it defines itself.

    import scipy.linalg as _now
    from legacy_towers.run.libraries.views import pass_on as _pass_on

    _pass_on(globals(), _now)                     and below it what the shim adds and changes

The names of the import system (`__name__`, `__path__`, `__spec__`, ...) stay those of the shim.
"""
from typing import Any, Callable, Dict, List

# Python sets these for each module that it imports, and reads them when it imports modules below it.
OF_IMPORTS = frozenset(
    "__all__ __builtins__ __cached__ __dir__ __getattr__ __loader__ __name__ __package__ __path__ __spec__".split()
)


def pass_on(shim: Dict[str, Any], module: Any) -> None:
    """Gives a shim the names of `module`; call it after the imports of the shim and before its definitions.

    Args:
      shim: globals() of the shim.
      module: the installed module.
    """
    before = frozenset(shim)
    own = {"__doc__", "__file__", "__version__"}
    # Names with underscores are looked up when they are used: copied, they could replace helpers of the shim.
    shim.update({name: each for name, each in vars(module).items() if not name.startswith("_") or name in own})
    shim["__getattr__"] = attribute_of(shim, module, before)
    shim["__dir__"] = lambda: sorted(set(dir(module)) | set(_added(shim, module, before)))


def attribute_of(shim: Dict[str, Any], module: Any, before: Any) -> Callable[[str], Any]:
    """Returns the `__getattr__` of a shim, which Python calls for names that its globals lack."""

    def attribute(name: str) -> Any:
        if name == "__all__":
            public = getattr(module, "__all__", None) or [each for each in dir(module) if not each.startswith("_")]
            return sorted(set(public) | set(_added(shim, module, before)))
        if name in OF_IMPORTS:
            raise AttributeError(name)
        return getattr(module, name)

    return attribute


def _added(shim: Dict[str, Any], module: Any, before: Any) -> List[str]:
    """Returns the public names that the shim defines and `module` lacks."""
    return [each for each in shim if not each.startswith("_") and each not in before and each not in vars(module)]
