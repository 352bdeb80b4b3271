"""LD502: each tower trains in a session run of its own, one after the other."""
from typing import Dict, Iterator, List

from legacy_towers.doctor.registry import WARNING, check
from legacy_towers.doctor.replicas import replica_operations
from legacy_towers.doctor.subject import Evidence, Subject
from legacy_towers.doctor.towers import tower_scope

# Training steps of each tower that must have been seen.
STEPS = 3


@check("LD502", "separate-runs", WARNING, """
The main thread trains one tower in each session run, and the next tower in the next run. A run returns only when it is
done, so that one device computes at a time.

Fetch the operations of all towers in one run, `sess.run(train_ops)`, so that they run at the same time; or give each
tower a thread, for asynchronous training.
""")
def separate_runs(subject: Subject) -> Iterator[Evidence]:
    if subject.observed is None or not replica_operations(subject.trained):
        return
    runs: Dict[str, List[object]] = {}
    for fetched, is_main in zip(subject.observed.runs, subject.observed.in_main_thread):
        if is_main and subject.observed.trains(fetched):
            towers = {tower_scope(each) for each in subject.observed.ran(fetched)} - {None}
            if len(towers) > 1:
                return
            for tower in towers:
                runs.setdefault(str(tower), []).append(fetched)
    often = sorted(tower for tower, found in runs.items() if len(found) >= STEPS)
    if len(often) > 1:
        yield subject.evidence(
            runs[often[0]][0][0],  # type: ignore[index]
            "{} are trained in session runs of their own, one after the other".format(" and ".join(often)),
            "fetch the training operations of all towers in one run",
        )
