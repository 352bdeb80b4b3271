"""LD401: operations that are added in the training loop."""
from typing import Dict, Iterator, List

from legacy_towers.doctor.registry import ERROR, check
from legacy_towers.doctor.subject import Evidence, Subject
from legacy_towers.run.runtime.observation import Growth

# A line that adds operations between two runs this often is in a loop over runs.
TIMES = 4


@check("LD401", "growing-graph", ERROR, """
The same line of the script adds operations between session runs, again and again. Each run then prepares the whole
graph again, so that steps get slower and slower, and memory grows until the process is ended.

Build the operation once before the loop, with a placeholder for what changes, and run it in the loop. For example,
`sess.run(tf.assign(rate, value))` becomes `sess.run(assign_rate, {new_rate: value})`. `graph.finalize()` makes the
addition an error that shows where it happens.
""")
def growing_graph(subject: Subject) -> Iterator[Evidence]:
    if subject.observed is None:
        return
    lines: Dict[str, List[Growth]] = {}
    for growths in subject.observed.growths:
        for each in growths:
            lines.setdefault(each.line, []).append(each)
    for line, found in lines.items():
        if len(found) >= TIMES:
            yield Evidence(
                "", line,
                "this line added {} operations in {} of {} session runs, {} for example: the graph grows in the "
                "loop".format(sum(each.number for each in found), len(found), len(subject.observed.runs),
                              found[-1].operation),
                "build the operation once, before the loop",
            )
