"""cPickle, and pickle as Python 2 had it: it reads what Python 2 wrote, arrays included, from any file."""
import pickle
from typing import Any, List


def load(file: Any, **keywords: Any) -> Any:
    keywords.setdefault("encoding", "latin1")
    return pickle.load(_binary(file), **keywords)


def loads(data: Any, **keywords: Any) -> Any:
    keywords.setdefault("encoding", "latin1")
    return pickle.loads(data.encode("latin1", "surrogateescape") if isinstance(data, str) else data, **keywords)


# 2 is the newest protocol that Python 2 reads; 0 was its default, and is larger.
def dump(value: Any, file: Any, protocol: Any = 2, **keywords: Any) -> None:
    pickle.dump(value, _binary(file), protocol, **keywords)


def dumps(value: Any, protocol: Any = 2, **keywords: Any) -> bytes:
    return pickle.dumps(value, protocol, **keywords)


def Unpickler(file: Any, **keywords: Any) -> Any:  # noqa: N802
    keywords.setdefault("encoding", "latin1")
    return pickle.Unpickler(_binary(file), **keywords)


def Pickler(file: Any, protocol: Any = 2, **keywords: Any) -> Any:  # noqa: N802
    return pickle.Pickler(_binary(file), protocol, **keywords)


def _binary(file: Any) -> Any:
    """Returns the bytes below a file that was opened for text."""
    return getattr(file, "buffer", file)


def __getattr__(name: str) -> Any:
    return getattr(pickle, name)


def __dir__() -> List[str]:
    return dir(pickle)
