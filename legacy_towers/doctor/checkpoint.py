"""Examines a checkpoint, with the MetaGraph beside it if there is one, without running it."""
from typing import List, NamedTuple, Sequence

from legacy_towers.compat import tf
from legacy_towers.doctor.examine import Finding, examine_subjects
from legacy_towers.doctor.meta_graph import imported_file
from legacy_towers.doctor.saved import SavedCheckpoint, find_checkpoint
from legacy_towers.doctor.subject import Subject
from legacy_towers.errors import ArgumentError


class Examined(NamedTuple):
    """What was examined, and what was found.

    Attributes:
      findings: what the checks found.
      subject: the checkpoint in a clause, with what could not be examined.
    """

    findings: List[Finding]
    subject: str


def examine_checkpoint(path: str, select: Sequence[str] = (), ignore: Sequence[str] = ()) -> Examined:
    """Returns what the checks find in a checkpoint.

    Args:
      path: its prefix, one of its files, or a folder, of which the newest is taken.
      select, ignore: codes or beginnings of codes, see `registry.checks`.

    Raises:
      UserError: there is no checkpoint, or a code is that of no check.
    """
    saved = SavedCheckpoint(find_checkpoint(path))
    graph, note = tf.Graph(), "no MetaGraph beside it: what its graph does is unknown"
    if saved.has_meta_graph:
        try:
            graph = imported_file(saved.prefix + ".meta")
            note = "with the graph of its MetaGraph, which was not run"
        except ArgumentError as error:
            note = "without its MetaGraph: {}".format(error)
    findings = examine_subjects([Subject(graph, None, saved)], select, ignore)
    step = saved.global_step()
    return Examined(findings, "the checkpoint {} ({}; {}{}; {})".format(
        saved.prefix,
        "global step unknown" if step is None else "global step {:,}".format(step),
        "{:,} {}".format(len(saved.shapes), "value" if len(saved.shapes) == 1 else "values"),
        ", {:,} of them unreadable".format(len(saved.unreadable)) if saved.unreadable else "",
        note,
    ))
