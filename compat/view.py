"""A module seen through a window: some attributes replaced, some explained, TensorFlow itself left as it is."""
import types
from typing import Any, Callable, List, Mapping, NamedTuple, Optional

from legacy_towers.errors import EnvironmentProblem


class _Window(NamedTuple):
    module: Any
    replaced: Mapping[str, Callable[[], Any]]
    gone: Mapping[str, str]
    problem: Callable[[], Optional[str]]


def _no_problem() -> Optional[str]:
    return None


class ModuleView(types.ModuleType):
    """Looks like `module`, attribute by attribute; what was looked up once is kept.

    Args:
        module: the module behind the view.
        replaced: what to give, when first asked, in place of the module's own attribute.
        gone: attribute -> why the module has it no longer: the text of the AttributeError.
        problem: asked before the first look-up of each public attribute; a sentence is raised as EnvironmentProblem.
    """

    def __init__(
        self,
        name: str,
        module: Any,
        replaced: Optional[Mapping[str, Callable[[], Any]]] = None,
        gone: Optional[Mapping[str, str]] = None,
        problem: Callable[[], Optional[str]] = _no_problem,
    ) -> None:
        super().__init__(name)
        self._window = _Window(module, replaced or {}, gone or {}, problem)

    def __getattr__(self, name: str) -> Any:
        # Called for what is not in __dict__ only: never twice for one name.
        if name == "_window":  # a view that is being copied or unpickled has none yet
            raise AttributeError(name)
        window = self._window
        if not name.startswith("_"):
            sentence = window.problem()
            if sentence is not None:
                raise EnvironmentProblem(sentence)
        if name in window.replaced:
            value = window.replaced[name]()
        else:
            try:
                value = getattr(window.module, name)
            except AttributeError:
                reason = window.gone.get(name, "{} has no attribute {!r}".format(self.__name__, name))
                raise AttributeError(reason) from None
        self.__dict__[name] = value
        return value

    def __dir__(self) -> List[str]:
        if self._window.problem() is not None:
            return []
        return sorted(set(dir(self._window.module)) | set(self._window.replaced))

    def __repr__(self) -> str:
        return "<view of {}>".format(self.__name__)

    def __reduce__(self) -> Any:
        raise TypeError("{!r} can't be pickled: import it where it is needed".format(self))
