"""Comparisons of the runs of one command before and after a rewriting, by one runner."""
import os
from typing import Callable, Iterable, List, Optional, Sequence

from legacy_towers.compat.versions import fixed_order
from legacy_towers.migrate.proof.values import DIFFERENT, NOT_COMPARED, PROVEN
from legacy_towers.migrate.verify import compare
from legacy_towers.migrate.verify.runs import AFTER, BEFORE, FIXED, PLAIN, RUN, SAME_NUMBERS, Project, Record, run
from legacy_towers.migrate.verify.verification import Check, Place
from legacy_towers.text.names import counted

_ORDERS = {FIXED: "in a fixed order", SAME_NUMBERS: "with the same random numbers for each example", PLAIN: "as it is"}


def unread(records: Sequence[Record], texts: Iterable[str], places: Sequence[Place]) -> List[str]:
    """Returns what was rewritten and none of some runs uses, each as the end of a sentence.

    Args:
      records: the runs, before the rewriting.
      texts: the paths of the rewritten files.
      places: the pipelines that were rewritten.
    """
    files = {os.path.realpath(each) for record in records for each in record.files}
    left = [
        "import {}, which is rewritten".format(os.path.relpath(each)) for each in sorted(texts)
        if os.path.realpath(each) not in files
    ]
    made = {(os.path.realpath(path), line) for record in records for found in record.places for path, line in found}
    for place in places:
        wanted = {(os.path.realpath(path), line) for path, first, last in place.lines
                  for line in range(first, last + 1)}
        if not wanted & made:
            left.append("read {}, which is rewritten".format(place.name))
    return left


def _title(record: Record) -> str:
    return "{}{}".format(record.runner, ", TensorFlow {}".format(record.tensorflow) if record.tensorflow else "")


class Comparisons:
    """The comparisons by one runner.

    Args:
      project: the project before and after the rewriting.
      python: the path of the Python that runs the command; None: `legacy-towers run`.
      places: the pipelines that the command must read; None: any.
      progress: called with what is run, before each run.
      checks, notes, records: lists of all runners, to which each comparison appends.

    Attributes:
      before: the run before the rewriting that was compared; None before `verify`.
    """

    def __init__(
        self, project: Project, python: Optional[str], places: Optional[Sequence[Place]],
        progress: Callable[[str], None], checks: List[Check], notes: List[str], records: List[Record],
    ) -> None:
        self._project, self._python, self._places, self._progress = project, python, places, progress
        self._checks, self._notes, self._records = checks, notes, records
        self._title = ""
        self._is_parsed = False
        self.before: Optional[Record] = None

    def verify(self) -> None:
        """Compares what session runs, epochs and the command as it is read before and after the rewriting."""
        before = self.before = self._run(BEFORE, FIXED)
        self._title = _title(before)
        runs = "session runs"
        if before.exit_code != 0:
            return self._add(runs, NOT_COMPARED, "the command fails before the rewriting: " + before.error)
        if not before.runs:
            return self._add(runs, NOT_COMPARED, "no session.run reads from a queue or an iterator")
        left = [] if self._places is None else unread([before], self._project.texts, self._places)
        if left:
            return self._add(runs, NOT_COMPARED, "the command does not {}".format(left[0]))
        texts = {os.path.realpath(each) for each in self._project.texts}
        if texts and not texts & {os.path.realpath(each) for each in before.files}:
            return self._add(runs, NOT_COMPARED, "the command imports none of the rewritten files")
        after = self._run(AFTER, FIXED)
        if after.exit_code != 0:
            return self._add(runs, DIFFERENT, "the command fails after the rewriting: " + after.error)
        if any(before.single) and compare.have_other_types(before.reads, after.reads):
            # Before, the graph parses what a reader reads, after, a dataset may: the parsed examples are compared.
            self._is_parsed = True
            parsed = self._run(BEFORE, FIXED), self._run(AFTER, FIXED)
            if all(each.exit_code == 0 and each.runs for each in parsed):
                before, after = parsed
                self.before = before
            else:
                self._is_parsed = False
        hidden = before.hidden + after.hidden
        if hidden:
            return self._add(runs, NOT_COMPARED, "{}: it is read inside a loop or a branch".format(hidden[0]))
        if self._sequence(before, after) and self._epochs(before, after):
            self._computed(before, after)
            self._as_it_is(before, after)
        self._notes.extend(
            "by {}, {}".format(self._title, each) for each in compare.static_shapes(before, after)
        )
        return None

    def verify_after(self, before: Record) -> None:
        """Compares what session runs read after the rewriting with what they read before, by another runner."""
        self._is_parsed = before.is_parsed
        after = self._run(AFTER, FIXED)
        self._title = _title(after)
        runs = "session runs"
        if after.exit_code != 0:
            return self._add(runs, DIFFERENT, "the command fails after the rewriting: " + after.error)
        difference = compare.sequence(before.reads, after.reads, "session run")
        if difference is None:
            return self._add(runs, PROVEN, "the same {} in {} as by {}".format(
                counted(after.examples, "example"), counted(after.runs, "session run"), before.runner))
        if before.changed:
            # Where the order or random numbers had to be fixed, another runner may fix them in another way.
            difference = compare.shapes(before.reads, after.reads, "session run", compare.are_ordered(before))
        if difference is None:
            return self._add(runs, PROVEN, "{} in {}, with the same dtypes and shapes as by {}".format(
                counted(after.examples, "example"), counted(after.runs, "session run"), before.runner))
        return self._add(runs, DIFFERENT, difference)

    def _sequence(self, before: Record, after: Record) -> bool:
        difference = compare.sequence(before.reads, after.reads, "session run")
        where = ", where " + ", ".join(before.changed) if before.changed else ""
        same = "the same {} in {}, in the same order, bit for bit{}".format(
            counted(before.examples, "example"), counted(before.runs, "session run"), where
        )
        if difference is not None and not compare.order_is_determined(before):
            # Which file or thread comes first is not determined: the epochs below tell whether the examples are equal.
            difference = compare.shapes(before.reads, after.reads, "session run", compare.are_ordered(before))
            same = "in {}, {} were read{}".format(
                counted(before.runs, "session run"), counted(before.examples, "example"),
                ", with the same dtypes and shapes" * compare.are_ordered(before)
            )
        if difference is None:
            self._add("session runs", PROVEN, same)
        elif compare.sequence(before.reads, self._run(BEFORE, FIXED).reads, "session run") is not None:
            self._add("session runs", NOT_COMPARED, "two runs before the rewriting differ from each other")
        else:
            self._add("session runs", DIFFERENT, difference)
        return difference is None

    def _epochs(self, before: Record, after: Record) -> bool:
        is_same_sequence = compare.sequence(before.reads, after.reads, "session run") is None
        for number, one in sorted(before.epochs.items()):
            what = "epochs of pipeline {}".format(number + 1)
            other = after.epochs.get(number)
            if other is None:
                self._add(what, DIFFERENT, "{} pipelines are read before, {} after".format(
                    len(before.epochs), len(after.epochs)
                ))
                return False
            if one.end and not one.batches or one.end == other.end != "":
                reason = "they can't be read apart from the program: {}".format(one.end)
                if not is_same_sequence:
                    self._add(what, NOT_COMPARED, reason)
                    return False
                self._notes.append("by {}, {} are not compared: {}".format(self._title, what, reason))
                continue
            difference = compare.ends(one, other) or compare.sequence(one.batches, other.batches, "batch")
            same = "{} in {}, in the same order, bit for bit".format(
                counted(one.examples, "example"), counted(len(one.batches), "batch"))
            if difference is not None and compare.ends(one, other) is None and not is_same_sequence:
                changed = before.changed
                difference = compare.shapes(one.batches, other.batches, "batch", compare.are_ordered(before))
                if difference is None:
                    difference = _multiset(before, after, number)
                    if difference is not None and {fixed_order.SEEDS, fixed_order.PYTHON_NUMBERS} & set(changed):
                        # Which example gets which random numbers is a race, too.
                        first, second = (self._run(version, SAME_NUMBERS) for version in (BEFORE, AFTER))
                        if number in first.epochs and number in second.epochs:
                            changed = first.changed
                            difference = _multiset(first, second, number)
                same = "{}, each as often, in another order, which is not determined: {}".format(
                    counted(one.examples, "example"), ", ".join(changed)
                )
            if difference is not None:
                self._add(what, DIFFERENT, difference)
                return False
            self._add(what, PROVEN, same)
        return True

    def _computed(self, before: Record, after: Record) -> None:
        what = "what session runs compute"
        if compare.sequence(before.reads, after.reads, "session run") is not None:
            return self._notes.append("by {}, {} is not compared: the order of examples is not determined".format(
                self._title, what
            ))
        count, difference, left_out = compare.computed(before, after)
        if difference is None:
            if count:
                self._add(what, PROVEN, "the same {} that session runs fetch, bit for bit".format(
                    counted(count, "value")))
            if left_out:
                self._notes.append("by {}, {} is not compared: {}".format(self._title, what, left_out))
            return None
        if any(len(reads) > 1 for reads in before.reads):
            return self._notes.append("by {}, {} is not compared: which of several reads gets which batch is not "
                                      "determined".format(self._title, what))
        # A value that is read while it is written, such as a loss beside the update of its variables, is a race.
        for record in (before, after):
            if compare.computed(record, self._run(record.version, FIXED))[1] is not None:
                return self._notes.append("by {}, {} is not compared: two runs {} the rewriting differ".format(
                    self._title, what, record.version
                ))
        return self._add(what, DIFFERENT, difference)

    def _as_it_is(self, before: Record, after: Record) -> None:
        if not compare.is_run_as_it_is(before, after):
            return None
        plain = [self._run(version, PLAIN) for version in (BEFORE, AFTER)]
        what = "the command as it is"
        if plain[0].exit_code != 0:
            return self._add(what, NOT_COMPARED, "it fails before the rewriting: " + plain[0].error)
        if plain[1].exit_code != 0:
            return self._add(what, DIFFERENT, "it fails after the rewriting: " + plain[1].error)
        runs, is_ordered = [each.reads for each in plain], compare.are_ordered(before)
        others = (before.reads, after.reads)
        difference = compare.shapes(runs[0], runs[1], "session run", is_ordered, others)
        if difference is not None and not compare.order_is_determined(before):
            # By chance, all orders that were seen may have had the same shapes.
            again = [self._run(version, PLAIN).reads for version in (BEFORE, AFTER)]
            others = (others[0] + again[0], others[1] + again[1])
            difference = compare.shapes(runs[0], runs[1], "session run", is_ordered, others)
        if difference is not None:
            return self._add(what, DIFFERENT, difference)
        lost, distances = compare.shuffles([before, after], plain)
        if lost is not None:
            return self._add(what, DIFFERENT, lost)
        same = "the same numbers, dtypes and shapes of batches" if is_ordered else "the same number of batches"
        return self._add(what, PROVEN, "; ".join([same] + distances))

    def _run(self, version: str, order: str) -> Record:
        self._progress("{} {} the rewriting, by {}, {}".format(
            self._project.command.text, version, self._python or RUN, _ORDERS[order]))
        self._records.append(run(self._project, version, self._python, order, self._is_parsed))
        return self._records[-1]

    def _add(self, what: str, verdict: str, sentence: str) -> None:
        self._checks.append(Check(self._title, what, verdict, sentence))


def _multiset(before: Record, after: Record, number: int) -> Optional[str]:
    """Returns a difference between how often a pipeline's examples are read, as a clause; None if there is none."""
    # What is left in buckets at the end is not read.
    one, other = (
        each.kept.get(number) if compare.are_ordered(before) else each.epochs.get(number) for each in (before, after))
    return None if one is None or other is None else compare.multiset(one, other)
