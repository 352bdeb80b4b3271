"""A view of a module with some attributes replaced; the module itself is not changed."""
import types
from typing import Any, Callable, List, Mapping, NamedTuple, Optional

from legacy_towers.errors import EnvironmentProblem


class _Source(NamedTuple):
    module: Any
    replaced: Mapping[str, Callable[[], Any]]
    problem: Callable[[], Optional[str]]


def _no_problem() -> Optional[str]:
    return None


class ModuleView(types.ModuleType):
    """A module with the attributes of `module`; each is looked up once and kept.

    Args:
        name: of the view, in messages.
        module: the module whose attributes the view has.
        replaced: attribute -> function that returns its value, called once, at the first use.
        problem: called before the first look-up of each public attribute; a sentence that it returns is raised as an
            EnvironmentProblem.
    """

    def __init__(
        self,
        name: str,
        module: Any,
        replaced: Optional[Mapping[str, Callable[[], Any]]] = None,
        problem: Callable[[], Optional[str]] = _no_problem,
    ) -> None:
        super().__init__(name)
        self._source = _Source(module, replaced or {}, problem)

    def __getattr__(self, name: str) -> Any:
        # Called only for names that are not in __dict__: once per name.
        if name == "_source":  # a view that is being copied or unpickled has none yet
            raise AttributeError(name)
        source = self._source
        if not name.startswith("_"):
            sentence = source.problem()
            if sentence is not None:
                raise EnvironmentProblem(sentence)
        if name in source.replaced:
            value = source.replaced[name]()
        else:
            try:
                value = getattr(source.module, name)
            except AttributeError:
                raise AttributeError("{} has no attribute {!r}".format(self.__name__, name)) from None
        self.__dict__[name] = value
        return value

    def __dir__(self) -> List[str]:
        if self._source.problem() is not None:
            return []
        return sorted(set(dir(self._source.module)) | set(self._source.replaced))

    def __repr__(self) -> str:
        return "<view of {}>".format(self.__name__)

    def __reduce__(self) -> Any:
        raise TypeError("{!r} can't be pickled: import it where it is needed".format(self))
