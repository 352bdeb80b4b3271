"""Reads and prints bandwidths and times: "25Gbit", "50us"."""
import re
from typing import Dict

from legacy_towers.errors import ArgumentError

_NUMBER = re.compile(r"^(?P<number>\d+(\.\d*)?|\.\d+) ?(?P<unit>[A-Za-z]+)(/s)?$")
# To bytes per second, and to seconds. In networks, prefixes are powers of ten.
_BANDWIDTHS = {"kbit": 125.0, "Mbit": 125e3, "Gbit": 125e6, "kB": 1e3, "MB": 1e6, "GB": 1e9, "MiB": 2.0**20,
               "GiB": 2.0**30}
_TIMES = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def bandwidth(text: str, option: str) -> float:
    """Returns the bytes per second of a text such as "25Gbit" (bits) or "3GB" (bytes).

    Raises:
      ArgumentError: it is not a number above 0 with a unit; names the `option`.
    """
    return _value(text, option, _BANDWIDTHS, "a bandwidth above 0 with its unit, such as 25Gbit or 3GB")


def seconds(text: str, option: str, least: float = 0.0) -> float:
    """Returns the seconds of a text such as "50us" or "12ms".

    Raises:
      ArgumentError: it is not a number with a unit, or below `least`; names the `option`.
    """
    what = "a time {} with its unit, such as 50us or 12ms".format("above 0" if least else "of at least 0")
    return _value(text, option, _TIMES, what, least)


def _value(text: str, option: str, units: Dict[str, float], what: str, least: float = 1e-300) -> float:
    found = _NUMBER.match(text.strip())
    if found is None or found.group("unit") not in units:
        raise ArgumentError("{} is {!r}: it must be {}; the units are {}".format(option, text, what, ", ".join(units)))
    value = float(found.group("number")) * units[found.group("unit")]
    if value < least:
        raise ArgumentError("{} is {!r}: it must be {}".format(option, text, what))
    return value


def bandwidth_text(bytes_per_second: float) -> str:
    """Returns a bandwidth such as "25 Gbit/s"."""
    bits = bytes_per_second * 8
    for unit, size in (("Gbit/s", 1e9), ("Mbit/s", 1e6)):
        if bits >= size:
            return "{:.3g} {}".format(bits / size, unit)
    return "{:.3g} kbit/s".format(bits / 1e3)


def time_text(value: float) -> str:
    """Returns a time such as "50 us"."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if value >= size:
            return "{:.3g} {}".format(value / size, unit)
    return "{:.3g} us".format(value / 1e-6)


def bytes_text(size: float) -> str:
    """Returns a size such as "4.2 MB"; in powers of ten, as bandwidths are."""
    for unit, unit_size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= unit_size:
            return "{:.3g} {}".format(size / unit_size, unit)
    return "{:.0f} B".format(size)
