"""Summarizes a step's plan in a line: bytes of variables and sums of gradients per device, and buckets."""
import re
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from legacy_towers.report import figures
from legacy_towers.report.document import Document

NO_SUM = "one tower"  # "reduced_by" of a gradient that a single tower has


class Totals(NamedTuple):
    """A plan's totals.

    Attributes:
      bytes_on: device -> bytes of the variables there, copies included.
      sums_on: device -> number of gradients, or buckets of gradients, summed there.
      elsewhere: number of sums without a single device, such as those of a collective.
      buckets: number of buckets; 0: gradients are summed one by one.
    """

    bytes_on: Dict[str, int]
    sums_on: Dict[str, int]
    elsewhere: int
    buckets: int


def totals_of(plan: Dict[str, Any]) -> Totals:
    """Returns the totals of a plan, of `Plan.as_dict()`."""
    bytes_on: Dict[str, int] = {}
    sums: Dict[Tuple[Optional[str], Any], None] = {}
    buckets = set()
    for variable in plan.get("variables") or []:
        for device in map(short_device, variable.get("copies") or [variable["device"]]):
            bytes_on[device] = bytes_on.get(device, 0) + (variable["bytes"] or 0)
        if variable.get("reduced_by") in (None, NO_SUM):
            continue
        bucket = variable.get("bucket")
        if bucket is not None:
            buckets.add(bucket)
        # A bucket is one sum.
        where = variable.get("reduced_on")
        sums[None if where is None else short_device(where), variable["name"] if bucket is None else bucket] = None
    sums_on: Dict[str, int] = {}
    for where, _ in sums:
        if where is not None:
            sums_on[where] = sums_on.get(where, 0) + 1
    elsewhere = sum(where is None for where, _ in sums)
    return Totals(_by_name(bytes_on), _by_name(sums_on), elsewhere, len(buckets))


def short_device(device: str) -> str:
    """Returns the short string of a local device: "/cpu:0" for "/device:CPU:0"."""
    return re.sub(r"^/device:([A-Za-z]+):(\d+)$", lambda found: "/{}:{}".format(found.group(1).lower(), found.group(2)),
                  device)


def totals_text(totals: Totals) -> str:
    """Returns the totals in a line, "25 kB on each of /cpu:0, /cpu:1; 10 sums on /cpu:0; 2 buckets"."""
    parts = [_spread_out(totals.bytes_on, _size) or "no variables"]
    sums = _spread_out(totals.sums_on, lambda count: "{:,} sum{}".format(count, "" if count == 1 else "s"))
    if sums:
        parts.append(sums)
    if totals.elsewhere:
        parts.append("{:,} sums over all devices".format(totals.elsewhere))
    if not totals.sums_on and not totals.elsewhere:
        parts.append("no sums")
    if totals.buckets:
        parts.append("{:,} bucket{}".format(totals.buckets, "" if totals.buckets == 1 else "s"))
    return "; ".join(parts)


def lines_at(document: Document, towers: int) -> List[Tuple[List[str], str]]:
    """Returns (candidates, their plan in a line) at one number of towers, grouped by the line."""
    found: Dict[str, List[str]] = {}
    for row in figures.rows_at(document, towers):
        if row.plan and row.plan.get("variables") is not None:
            found.setdefault(totals_text(totals_of(row.plan)), []).append(row.candidate)
    return [(names, line) for line, names in found.items()]


def _by_name(values: Dict[str, int]) -> Dict[str, int]:
    return {key: values[key] for key in sorted(values)}


def _spread_out(values: Dict[str, int], word: Any) -> str:
    """Returns "5 sums on /cpu:0, 3 sums on /cpu:1", or "5 sums on each of 4 devices" if all are equal."""
    if not values:
        return ""
    if len(values) > 1 and len(set(map(word, values.values()))) == 1:
        return "{} on each of {}".format(word(next(iter(values.values()))), _devices(list(values)))
    if len(values) > 3:
        return "{} to {} on {}".format(word(min(values.values())), word(max(values.values())), _devices(list(values)))
    return ", ".join("{} on {}".format(word(value), device or "no device") for device, value in values.items())


def _devices(names: List[str]) -> str:
    return "{} devices".format(len(names)) if len(names) > 2 else " and ".join(name or "no device" for name in names)


def _size(size: int) -> str:
    """Returns bytes as text, in kB (1,000 bytes) or MB (1,000,000 bytes)."""
    if size < 1000:
        return "{} bytes".format(size)
    return "{} kB".format(figures.number(size / 1e3)) if size < 1e6 else "{} MB".format(figures.number(size / 1e6))


# The table of variables on the page.
VARIABLE_TITLES = ("variable", "shape", "dtype", "bytes", "device", "gradient", "reduced by", "summed on", "bucket")


def variable_cells(plan: Dict[str, Any]) -> List[List[str]]:
    """Returns one row of cells per variable of a plan, of `Plan.as_dict()`, for the columns `VARIABLE_TITLES`."""
    return [
        [
            variable["name"],
            "\u00d7".join("?" if size is None else str(size) for size in variable["shape"]) or "scalar",
            variable["dtype"],
            "" if variable["bytes"] is None else "{:,}".format(variable["bytes"]),
            ", ".join(map(short_device, variable.get("copies") or [variable["device"]])),
            variable.get("gradient") or "",
            variable.get("reduced_by") or "",
            short_device(variable.get("reduced_on") or ""),
            "" if variable.get("bucket") is None else str(variable["bucket"]),
        ]
        for variable in plan["variables"]
    ]
