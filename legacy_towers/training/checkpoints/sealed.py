"""JSON files with a checksum of their own content, so that any change of a byte is found."""
import json
import zlib
from typing import Any, Dict

_CHECKSUM = "crc32"


def seal(values: Dict[str, Any]) -> bytes:
    """Returns the JSON text of `values` with its checksum."""
    return _text(dict(values, **{_CHECKSUM: _checksum(values)}))


def unseal(content: bytes) -> Dict[str, Any]:
    """Returns the values of a sealed text.

    Raises:
      ValueError: its bytes are not those that `seal` returned.
    """
    try:
        values = json.loads(content.decode("utf-8"))
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not isinstance(values, dict) or _CHECKSUM not in values:
        raise ValueError("it has no checksum")
    if _text(values) != content:  # spaces count too
        raise ValueError("it was changed")
    if values.pop(_CHECKSUM) != _checksum(values):
        raise ValueError("its checksum does not match")
    return values


def _checksum(values: Dict[str, Any]) -> str:
    return "{:08x}".format(zlib.crc32(_text(values)))


def _text(values: Dict[str, Any]) -> bytes:
    return (json.dumps(values, indent=1, sort_keys=True) + "\n").encode("utf-8")
