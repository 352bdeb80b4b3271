"""slim's prefetch_queue after the batchers: its batches are shared by several dequeues, one per tower.

    images, labels = tf.train.batch([image, label], 32)     dataset = dataset.batch(32, drop_remainder=True)
    labels = tf.one_hot(labels, 10)                         dataset = dataset.map(lambda ...)
    queue = prefetch_queue([images, labels], capacity=4)    dataset = dataset.prefetch(4)
                                                            queue = make_one_shot_iterator(dataset)
    images, labels = queue.dequeue()                        images, labels = queue.get_next()
"""
import functools
from typing import Any, Dict, List, Sequence, Tuple

import libcst as cst

from legacy_towers.migrate.source.pipelines import Pipeline
from legacy_towers.migrate.source.project import Project
from legacy_towers.migrate.source.rewrite.batch_stage import Batch
from legacy_towers.migrate.source.rewrite.drafts import Irregular
from legacy_towers.migrate.source.rewrite.entries import Entry
from legacy_towers.migrate.source.rewrite.examples import Element, element_of
from legacy_towers.migrate.source.rewrite.functions import Calls
from legacy_towers.migrate.source.rewrite.keywords import known
from legacy_towers.migrate.source.rewrite.region import Examples
from legacy_towers.migrate.source.rewrite.scope import Scope
from legacy_towers.migrate.source.rewrite.shapes import prefetch
from legacy_towers.migrate.source.rewrite.shapes.producers import Cant
from legacy_towers.migrate.source.rewrite.syntax import arguments
from legacy_towers.migrate.source.values import Site


class PrefetchStage:
    """The prefetch queue of a pipeline, or those of programs that share functions.

    Args:
      project: the project.
      pipeline: the pipeline.
      calls: its functions and calls.
    """

    def __init__(self, project: Project, pipeline: Pipeline, calls: Calls) -> None:
        self._calls = calls
        self.sites = [site for site in pipeline.sites if site.name == prefetch.NAME]
        self.dequeues = prefetch.dequeues_of(project, pipeline)
        self._written: List[Site] = []

    def check_all_written(self) -> None:
        """Raises Irregular if a queue is not rewritten."""
        left = [site for site in self.sites if site not in self._written]
        if left:
            raise Irregular(left[0], "what it queues can't be followed to the batches")

    def batches_in(self, entry: Entry, statement: Any) -> List[Batch]:
        return self._calls.among(self.sites, entry.draft.source.path, statement)

    def batches_later(self, entry: Entry, statements: List[Any]) -> List[Tuple[Any, List[Batch]]]:
        return []

    def element(self, entry: Entry, batches: Sequence[Batch], examples: Examples, scope: Scope) -> Element:
        site, call = batches[0]
        tensors = self._given(site, call).get("tensors")
        element = None if tensors is None else element_of(
            tensors, entry.roots, examples.statements, scope, functools.partial(self._calls.shown, entry.draft),
            functools.partial(self._calls.gives_list, entry.draft))
        if element is None:
            raise Irregular(site, "the source does not show whether it queues a list or a dict")
        if not element.names & examples.names:
            raise Irregular(site, "what it queues does not come from the batch alone")
        return element

    def settings(self, batches: Sequence[Batch]) -> List[Any]:
        """Returns the expressions that the queue is made with."""
        return [each.value for _, call in batches for each in call.args[1:]]

    def threads(self, batches: Sequence[Batch], scope: Scope) -> str:
        return ""

    def _given(self, site: Site, call: cst.Call) -> Dict[str, cst.BaseExpression]:
        return known(site, arguments(call, prefetch.PARAMETERS))

    def write(
        self, entry: Entry, site: Site, call: cst.Call, scope: Scope, prefetches: bool
    ) -> None:
        source, edits = entry.draft.source, entry.draft.edits
        statement = source.statement(call)
        if not isinstance(statement, cst.Assign) or statement.value is not call:
            raise Irregular(site, "its result is used in an expression")
        tf = self._calls.tensorflow(scope, site)
        try:
            lines = prefetch.lines_of(self._given(site, call), scope, entry.dataset, prefetches)
        except Cant as why:
            raise Irregular(site, str(why)) from None
        if lines:
            edits.insert_before(statement, lambda: source.parse("\n".join(lines)))
        edits.replace(call, cst.parse_expression("{}.data.make_one_shot_iterator({})".format(tf, entry.dataset)))
        # Those of several programs may share what dequeues.
        for dequeue in self.dequeues if not self._written else ():
            taken = self._calls.call(dequeue)
            if not isinstance(taken.func, cst.Attribute) or taken.args:
                raise Irregular(dequeue, "it is not called as queue.dequeue()")
            self._calls.draft(dequeue.path).edits.replace(taken.func.attr, cst.Name("get_next"))
        self._written.append(site)
