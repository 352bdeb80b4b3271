"""LD309: a staging area that is never filled or never drained."""
from typing import Any, Dict, Iterator, List, Tuple

from legacy_towers.doctor.registry import ERROR, check
from legacy_towers.doctor.subject import Evidence, Subject
from legacy_towers.tensor_types import Operation

_PUTS = ("Stage", "MapStage", "OrderedMapStage")
_GETS = ("Unstage", "StagePeek", "MapUnstage", "MapUnstageNoKey", "MapPeek", "OrderedMapUnstage",
         "OrderedMapUnstageNoKey", "OrderedMapPeek")


@check("LD309", "unused-staging-area", ERROR, """
A staging area has a `get` and no `put`, so the first run of `get` never ends and can't be cancelled; or a script runs
its `put` and has no `get`, so what it holds grows until memory is full, or until `put` waits forever at its capacity.

Run `put` once before the loop and in each step, in the same run as the step that uses `get`.
""")
def unused_staging_area(subject: Subject) -> Iterator[Evidence]:
    areas: Dict[Tuple[Any, Any], Tuple[List[Operation], List[Operation]]] = {}
    for operation in subject.of_types(_PUTS + _GETS):
        key = operation.get_attr("container"), operation.get_attr("shared_name")
        areas.setdefault(key, ([], []))[operation.type in _GETS].append(operation)
    ran = subject.observed.all_ran() if subject.observed is not None else set()
    for puts, gets in areas.values():
        if gets and not puts:
            yield subject.evidence(
                gets[0], "no put fills its staging area: it waits forever", "run put before it"
            )
        elif puts and not gets and not ran.isdisjoint(puts):
            yield subject.evidence(
                puts[0], "no get empties its staging area: it holds all that is put", "use get, or remove it"
            )
