"""The `__dict__` of a module whose attributes are looked up at their first use."""
import collections.abc
import types
from typing import Any, Dict, Iterator

# The descriptor of a module's real `__dict__`, also if its class overrides `__dict__`.
_own_names: Any = vars(types.ModuleType)["__dict__"]


def own(module: types.ModuleType) -> Dict[str, Any]:
    """Returns the attributes that `module` has looked up already: its real `__dict__`."""
    names: Dict[str, Any] = _own_names.__get__(module)
    return names


class ModuleNames(collections.abc.MutableMapping):
    """A mapping of all names of `module`: scripts use `tf.logging.__dict__[level]` and `vars(tf.nn)[activation]`."""

    def __init__(self, module: types.ModuleType) -> None:
        self._module = module

    def __getitem__(self, name: str) -> Any:
        try:
            return getattr(self._module, name)
        except AttributeError:
            raise KeyError(name) from None

    def __setitem__(self, name: str, value: Any) -> None:
        own(self._module)[name] = value

    def __delitem__(self, name: str) -> None:
        del own(self._module)[name]

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(set(own(self._module)) | set(dir(self._module))))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and (name in own(self._module) or name in dir(self._module))
