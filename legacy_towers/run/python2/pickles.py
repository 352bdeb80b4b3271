"""cPickle, and pickle of Python 2: loads pickles that Python 2 wrote, with numpy arrays, from text or binary files."""
import pickle
from typing import Any, List


def load(file: Any, **keywords: Any) -> Any:
    keywords.setdefault("encoding", "latin1")
    return pickle.load(_binary(file), **keywords)


def loads(data: Any, **keywords: Any) -> Any:
    keywords.setdefault("encoding", "latin1")
    return pickle.loads(data.encode("latin1", "surrogateescape") if isinstance(data, str) else data, **keywords)


# 2 is the newest protocol that Python 2 can load. Its default was 0, which makes larger files.
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
    """Returns the binary buffer of a file that was opened in text mode."""
    return getattr(file, "buffer", file)


def __getattr__(name: str) -> Any:
    return getattr(pickle, name)


def __dir__() -> List[str]:
    return dir(pickle)
