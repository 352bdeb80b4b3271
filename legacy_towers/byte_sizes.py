"""Numbers of bytes as people write them: 65536, 500KB, 8MiB."""
import re

_UNITS = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}


def parse_bytes(text: str) -> int:
    """Returns the number of bytes that a text says: a whole number, and a unit where it isn't bytes.

    Raises:
      ValueError: it says none.
    """
    found = re.match(r"(\d+)\s*([KMG]i?B)?$", text)
    if found is None:
        raise ValueError("{!r} is no number of bytes, such as 65536, 500KB or 8MiB".format(text))
    return int(found.group(1)) * _UNITS[found.group(2) or ""]
