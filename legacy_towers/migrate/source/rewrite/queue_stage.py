"""A queue of the script's own, which a queue runner fills with examples or batches.

    queue = tf.FIFOQueue(10, [tf.float32, tf.int32])
    enqueue = queue.enqueue([image, label])                 dataset = dataset.map(parse)
    runner = tf.train.QueueRunner(queue, [enqueue])
    tf.train.add_queue_runner(runner)                       dataset = dataset.batch(8, drop_remainder=True)
    images, labels = queue.dequeue_many(8)                  images, labels = make_one_shot_iterator(dataset).get_next()

Where several take from it, one for each tower, an iterator is in its place:

    a, b = queue.dequeue(), queue.dequeue()                 queue = make_one_shot_iterator(dataset)
                                                            a, b = queue.get_next(), queue.get_next()
"""
from typing import Any, Dict, List, Sequence, Tuple

import libcst as cst

from legacy_towers.migrate.source.pipelines import Pipeline
from legacy_towers.migrate.source.project import Project
from legacy_towers.migrate.source.rewrite.batch_stage import Batch
from legacy_towers.migrate.source.rewrite.controls.blocks import is_about_queues
from legacy_towers.migrate.source.rewrite.controls.variables import Variables
from legacy_towers.migrate.source.rewrite.drafts import Irregular
from legacy_towers.migrate.source.rewrite.entries import Entry
from legacy_towers.migrate.source.rewrite.examples import Element, element_of
from legacy_towers.migrate.source.rewrite.functions import Calls
from legacy_towers.migrate.source.rewrite.keywords import known
from legacy_towers.migrate.source.rewrite.queue_branches import QueueBranches
from legacy_towers.migrate.source.rewrite.reasons import why_kept
from legacy_towers.migrate.source.rewrite.record_shuffle import shuffle_lines
from legacy_towers.migrate.source.rewrite.region import Examples, region_of
from legacy_towers.migrate.source.rewrite.scope import Scope, literal
from legacy_towers.migrate.source.rewrite.shapes import queues
from legacy_towers.migrate.source.rewrite.shapes.producers import Cant, Given
from legacy_towers.migrate.source.rewrite.size_summaries import is_summarized
from legacy_towers.migrate.source.rewrite.syntax import arguments
from legacy_towers.migrate.source.values import Site


class QueueStage:
    """The own queue of a pipeline.

    Args:
      project: the project.
      pipeline: the pipeline.
      calls: its functions and calls.
    """

    def __init__(self, project: Project, pipeline: Pipeline, calls: Calls) -> None:
        self._calls = calls
        self._queues = [each for each in _named(pipeline, tuple(queues.PARAMETERS)) if each not in calls.filled]
        self.sites = _named(pipeline, (queues.ENQUEUE,)) if self._queues else []
        self._runners = _named(pipeline, (queues.RUNNER,))
        self._adds = _named(pipeline, (queues.ADD,))
        self.dequeues = queues.dequeues_of(project, pipeline)
        self._is_written = False
        self._branches = QueueBranches(calls, self._queues) if len(self._queues) > 1 else None
        if self._queues:
            self._check_one_of_each()

    def check_all_written(self) -> None:
        """Raises Irregular if the queue is not rewritten."""
        if self._queues and not self._is_written:
            raise Irregular(self._queues[0], "what it queues can't be followed to the reader")

    def is_made_in(self, entry: Entry, statement: Any) -> bool:
        """Returns whether a statement makes the queue."""
        is_made = bool(self._calls.among(self._queues, entry.draft.source.path, statement))
        if self._branches is not None and statement is self._branches.statement:
            return is_made and self._branches.is_all()
        return is_made

    def apart(self, entry: Entry, examples: Examples, sink: Any) -> Examples:
        """Takes what computes no example out of an `if` that makes the queue; see QueueBranches."""
        if self._branches is None:
            return examples
        return self._branches.apart(entry, examples, sink, self._calls.call(self.sites[0]))

    def settings(self, batches: Sequence[Batch]) -> List[Any]:
        """Returns the expressions that the queue is made with."""
        found = []
        for site in self._queues:
            given = arguments(self._calls.call(site), queues.PARAMETERS[site.name]) or {}
            found += [given[name] for name in ("capacity", "seed") if name in given]
        return found

    def batches_in(self, entry: Entry, statement: Any) -> List[Batch]:
        return self._calls.among(self.sites, entry.draft.source.path, statement)

    def batches_later(self, entry: Entry, statements: List[Any]) -> List[Tuple[Any, List[Batch]]]:
        return []

    def threads(self, batches: Sequence[Batch], scope: Scope) -> str:
        """Returns the expression of the number of threads that fill the queue, "" if it is one."""
        given = arguments(self._calls.call(self._runners[0]), ("queue", "enqueue_ops")) if self._runners else None
        operations = given.get("enqueue_ops") if given is not None else None
        if isinstance(operations, cst.BinaryOperation) and isinstance(operations.operator, cst.Multiply):
            return "" if literal(operations.right) == "1" else scope.code(operations.right)
        return ""

    def element(self, entry: Entry, batches: Sequence[Batch], examples: Examples, scope: Scope) -> Element:
        site, call = batches[0]
        given = arguments(call, ("vals", "name"))
        values = given.get("vals") if given is not None else None
        if values is None:
            raise Irregular(site, "what it queues is not in its call")
        element = element_of(values, entry.roots, examples.statements, scope)
        if element is None and isinstance(values, (cst.Name, cst.Attribute, cst.Call, cst.BinaryOperation)):
            element = Element.of([values], entry.draft.source)
        if element is None or not element.names & examples.names:
            raise Irregular(site, "what it queues does not come from the reader alone")
        shapes = self._given().get("shapes")
        if shapes is None or literal(shapes) == "None":
            return element
        return self._with_shapes(element, scope.resolved(shapes), scope)

    def _with_shapes(self, element: Element, shapes: Any, scope: Scope) -> Element:
        is_shown = isinstance(shapes, (cst.List, cst.Tuple)) and not element.is_all
        if not is_shown or len(shapes.elements) != len(element.parts):
            raise Irregular(self._queues[0], "its shapes are not a list that the source shows")
        tf = self._calls.tensorflow(scope, self._queues[0])
        return element.with_parts([
            "{}.ensure_shape({}, {})".format(tf, part, scope.code(shape.value))
            for part, shape in zip(element.parts, shapes.elements)
        ])

    def _check_one_of_each(self) -> None:
        for sites, what in ((self.sites, "enqueue operations"), (self._runners, "runners")):
            if len(sites) > 1:
                raise Irregular(sites[1], "its examples go through several {}".format(what))
        if not self.sites:
            raise Irregular(self._queues[0], "no operation of the project fills it")
        if not self._runners:
            raise Irregular(self.sites[0], "no queue runner of the project runs it")

    def _given(self) -> Dict[str, cst.BaseExpression]:
        queue = self._queues[0]
        given = known(queue, arguments(self._calls.call(queue), queues.PARAMETERS[queue.name]))
        if "capacity" not in given:
            raise Irregular(queue, "its call has no capacity")
        return given

    # Writing

    def write(self, entry: Entry, site: Site, call: cst.Call, scope: Scope, prefetches: bool) -> None:
        sites = self._queues + self.sites + self._runners + self._adds + self.dequeues
        if any(each.path != entry.draft.source.path for each in sites):
            raise Irregular(self._queues[0], "its queue is used in several files")
        source, edits = entry.draft.source, entry.draft.edits
        queue_call = self._calls.call(self._queues[0])
        queue = self._assigned(entry, self._queues[0], queue_call)
        place = source.statement(call)
        takes = [(each, self._calls.call(each)) for each in self.dequeues]
        if not takes:
            raise Irregular(self._queues[0], "nothing dequeues from it")
        block = region_of(source, place)
        is_inline = len(takes) == 1 and region_of(source, source.statement(takes[0][1])) is block
        self._check_uses(entry, queue, is_inline)
        given = self._given()
        taken = [self._taken(each, one, not is_inline) for each, one in takes]
        if len({(each.name, self._size(source, one)) for (each, _), one in zip(takes, taken)}) > 1:
            raise Irregular(self.dequeues[1], "it dequeues other batches than the call before, from one queue")
        tf = self._calls.tensorflow(scope, self._queues[0])
        where = source.statement(takes[0][1]) if is_inline else place
        name, lines = self._queues[0].name, []
        if self._branches is not None:
            if "n" not in taken[0]:
                raise Irregular(self._queues[1], "its examples go through several queues, one by one")
            name, lines = "tf.FIFOQueue", shuffle_lines(self._calls, self._queues, scope, entry.dataset, where)
        try:
            lines += queues.lines_of(
                name, given, takes[0][0].name, taken[0], scope, tf, entry.dataset, prefetches
            )
        except Cant as why:
            raise Irregular(self._queues[0], str(why)) from None
        iterator = "{}.data.make_one_shot_iterator({})".format(tf, entry.dataset)
        if is_inline:
            self._check_after(entry, takes[0], place)
            edits.replace(takes[0][1], cst.parse_expression(iterator + ".get_next()"))
        else:
            lines.append("{} = {}".format(queue, iterator))
            for each, one in takes:
                self._check_after(entry, (each, one), place)
                function = one.func
                assert isinstance(function, cst.Attribute)
                edits.replace(one, one.with_changes(func=function.with_changes(attr=cst.Name("get_next")), args=[]))
        if lines:
            edits.insert_before(where, lambda: source.parse("\n".join(lines)))
        if self._branches is not None and self._branches.is_all():
            edits.remove(self._branches.statement)
        made = [source.statement(self._calls.call(each)) for each in self._queues]
        for statement in made + [place] + self._runner_statements(entry):
            edits.remove(statement, with_comments=_is_led_by_queues(source.line_of(statement)))
        self._is_written = True

    @staticmethod
    def _size(source: Any, taken: Given) -> str:
        return source.code(taken["n"]) if "n" in taken else ""

    def _assigned(self, entry: Entry, site: Site, call: cst.Call) -> str:
        statement = entry.draft.source.statement(call)
        if isinstance(statement, cst.Assign) and statement.value is call and len(statement.targets) == 1:
            target = statement.targets[0].target
            if isinstance(target, cst.Name):
                return target.value
        raise Irregular(site, why_kept("it", entry.draft.source, statement))

    def _taken(self, site: Site, call: cst.Call, is_literal: bool) -> Given:
        given = arguments(call, queues.TAKES[site.name])
        if given is None or not isinstance(call.func, cst.Attribute) or not isinstance(call.func.value, cst.Name):
            raise Irregular(site, "it is not called as queue.{}(...)".format(site.name.rpartition(".")[2]))
        if is_literal and "n" in given and not isinstance(given["n"], cst.Integer):
            raise Irregular(site, "several calls dequeue from its queue, and the source does not show their batch size")
        return given

    def _check_after(self, entry: Entry, take: Tuple[Site, cst.Call], place: Any) -> None:
        source = entry.draft.source
        if source.function(take[1]) is source.function(place) and source.line(take[1]) < source.line(place):
            raise Irregular(take[0], "it dequeues before the operation that fills the queue is made")

    def _check_uses(self, entry: Entry, queue: str, is_inline: bool) -> None:
        """Raises Irregular if the queue, its enqueue operation or its runner are used for something else."""
        source = entry.draft.source
        variables = Variables(source.module, source.parents)
        used = [self._calls.call(each) for each in self.sites + self.dequeues + self._runners + self._adds]
        for site in self._queues + self.sites + self._runners:
            call = self._calls.call(site)
            statement = source.statement(call)
            if not isinstance(statement, cst.Assign) or statement.value is not call:
                continue
            target = statement.targets[0].target
            variable = variables.of(target) if isinstance(target, cst.Name) else None
            if variable is None:
                raise Irregular(site, "the source does not show what uses it")
            for use in variable.uses:
                is_other = self._branches is not None and self._branches.makes(source.statement(use))
                if is_summarized(entry.draft, use) or is_other:
                    continue
                if use is target or any(each in used for each in source.above(use) if isinstance(each, cst.Call)):
                    continue
                is_passed = isinstance(source.parents[use], cst.Arg) and not is_inline and site in self._queues
                method = source.code(source.parents[use]).rpartition(".")[2]
                if isinstance(source.parents[use], cst.Return) and site in self._queues:
                    raise Irregular(site, "a function returns it: make it where its elements are dequeued",
                                    source.line(use))
                if not is_passed and method not in ("create_threads", "close"):
                    raise Irregular(site, "{!r} is used for something else too".format(use.value), source.line(use))

    def _runner_statements(self, entry: Entry) -> List[Any]:
        source = entry.draft.source
        found = []
        for site in self._runners + self._adds:
            statement = source.statement(self._calls.call(site))
            if isinstance(statement, (cst.Expr, cst.Assign)):
                found.append(statement)
            else:
                raise Irregular(site, "its result is used in a statement")
        return found


def _is_led_by_queues(line: Any) -> bool:
    """Returns whether a comment above a line is about queues and threads."""
    return any(each.comment is not None and is_about_queues(each.comment) for each in line.leading_lines)


def _named(pipeline: Pipeline, names: Tuple[str, ...]) -> List[Site]:
    return [site for site in pipeline.sites if site.name in names]
