"""Comparisons of format version 1, of ways in alone, as those of version 2."""
from typing import Any, Dict

from legacy_towers.report.document import INPUTS


def from_version_1(content: Dict[str, Any]) -> Dict[str, Any]:
    """Returns the fields of a comparison of version 1 under the names of version 2; what is damaged stays so."""
    fields = dict(content, subject=INPUTS, proofs=[])
    for name, change in (("rows", _row), ("parity", _named)):
        if isinstance(fields.get(name), list):
            fields[name] = [change(item) if isinstance(item, dict) else item for item in fields[name]]
    return fields


def _named(item: Dict[str, Any]) -> Dict[str, Any]:
    """A way was called "way"."""
    changed = dict(item)
    if "way" in changed:
        changed["candidate"] = changed.pop("way")
    return changed


def _row(item: Dict[str, Any]) -> Dict[str, Any]:
    changed = _named(item)
    # What version 1 doesn't tell. Its plan was the input's alone.
    changed.update(input=changed.get("candidate"), variables=None, reduction=None)
    changed.update(updates_per_second=None, ratio_to_current=None)
    if isinstance(changed.get("plan"), dict):
        changed["plan"] = {"input": changed["plan"]}
    return changed
