"""The last stage of a pipeline: its batchers."""
import functools
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import libcst as cst

from legacy_towers.migrate.source.pipelines import Pipeline
from legacy_towers.migrate.source.rewrite.batch_conditions import with_conditions
from legacy_towers.migrate.source.rewrite.drafts import Irregular
from legacy_towers.migrate.source.rewrite.entries import Entry
from legacy_towers.migrate.source.rewrite.examples import Element, element_of
from legacy_towers.migrate.source.rewrite.functions import Calls
from legacy_towers.migrate.source.rewrite.joins import Joins
from legacy_towers.migrate.source.rewrite.keywords import known, passed
from legacy_towers.migrate.source.rewrite.names import names_of
from legacy_towers.migrate.source.rewrite.region import Examples
from legacy_towers.migrate.source.rewrite.scope import Scope, literal
from legacy_towers.migrate.source.rewrite.shapes import batchers
from legacy_towers.migrate.source.rewrite.shapes.producers import Cant
from legacy_towers.migrate.source.rewrite.source_stage import SourceStage
from legacy_towers.migrate.source.rewrite.syntax import LOOPS, statements_of
from legacy_towers.migrate.source.rewrite.turns import Turns
from legacy_towers.migrate.source.values import Site

Batch = Tuple[Site, cst.Call]


# Parameters whose arguments are written beside the function of Dataset.map; the capacity only for a shuffle.
_WRITTEN = (
    "batch_size", "bucket_boundaries", "num_buckets", "seed", "enqueue_many", "dynamic_pad",
    "allow_smaller_final_batch",
)


class BatchStage:
    """The batchers of a pipeline.

    Args:
      pipeline: the pipeline.
      calls: its functions and calls.
      stages: its producers and readers.
      joins: its lists of examples.

    Attributes:
      stage: the producer and reader whose examples are followed.
      is_one_dataset: whether one dataset has what is read from all producers.
    """

    def __init__(self, pipeline: Pipeline, calls: Calls, stages: Sequence[SourceStage], joins: Joins) -> None:
        self._calls = calls
        self._stages = stages
        self._joins = joins
        self.stage = stages[0]
        self.is_one_dataset = True
        self.sites = [site for site in pipeline.sites if site.name in batchers.PARAMETERS]
        self._written: List[Site] = []
        # Batcher -> the function that gives examples its shapes and conditions, where another branch has none.
        self._shapes: Dict[Site, str] = {}
        # Whether the iterator is initialized with the tables.
        self.is_initialized = False

    def check_all_written(self) -> None:
        """Raises Irregular if a batcher is not rewritten."""
        left = [site for site in self.sites if site not in self._written]
        if left:
            raise Irregular(left[0], "what it batches can't be followed to the reader")

    def batches_in(self, entry: Entry, statement: Any) -> List[Batch]:
        return self._calls.among(self.sites, entry.draft.source.path, statement)

    def batches_later(self, entry: Entry, statements: List[Any]) -> List[Tuple[Any, List[Batch]]]:
        """Returns the statements that batch where the first one does not: `if shuffle: return a; return b`."""
        first = statements[0]
        if not isinstance(first, cst.If) or first.orelse is not None:
            return []
        if not isinstance(statements_of(first.body)[-1], (cst.Return, cst.Raise)):
            return []
        found = [(each, self.batches_in(entry, each)) for each in statements[1:]]
        return [(each, batches) for each, batches in found if batches]

    def element(
        self, entry: Entry, batches: Sequence[Batch], examples: Examples, scope: Scope
    ) -> Element:
        found: List[Element] = []
        shaped: List[Element] = []
        for site, call in batches:
            given = self.given(site, call)
            join = site.name.endswith("_join")
            tensors = given.get("tensors_list" if join else "tensors")
            if tensors is None:
                raise Irregular(site, "its tensors are not in its call")
            element = self.example(entry, site, call, tensors, examples, scope, join)
            if join and batchers.chooses(given) and self._joins.are_read_apart(call):
                raise Irregular(site, "its keep_input is of one record, and it joins examples of several: filter the "
                                "examples of each reader")
            if not element.names & examples.names:
                raise Irregular(site, _why_not_alone(entry.draft.source, call, element))
            if literal(given.get("enqueue_many")) not in (None, "False") or (
                "enqueue_many" in given and literal(given["enqueue_many"]) is None
            ):
                element = element._replace(is_many=True)
                is_record = not examples.statements and element.is_root(entry.roots) and not self.stage.is_mapped
                if is_record and self.stage.reads_many():
                    element = element._replace(is_many=False)
                    self.stage.is_one_by_one = True
            found.append(element)
            shapes = given.get("shapes")
            is_shaped = shapes is not None and literal(shapes) != "None"
            whole = self._with_shapes(site, element, scope.resolved(shapes), scope) if is_shaped else element
            shaped.append(with_conditions(site, given, tensors, whole, scope))
            if site in self._shapes and shaped[-1] is not whole:
                raise Irregular(site, "it has shapes, and lengths or keep_input, for tensors that the source does not "
                                "show one by one")
        if any(each.text != found[0].text or each.is_many != found[0].is_many for each in found):
            raise Irregular(batches[1][0], "it batches other tensors than the call before, from one reader")
        if len(batches) > 1 and not self.exclude_each_other(entry, [call for _, call in batches]):
            raise Irregular(batches[1][0], "examples of one reader are divided between two batches")
        if all(each.text == shaped[0].text for each in shaped):
            return shaped[0]
        for (site, _), one in zip(batches, shaped):
            if one.text != found[0].text:
                if found[0].is_all or not all(each.isidentifier() for each in found[0].parts):
                    raise Irregular(site, "it does not batch by the same shapes, lengths and keep_input as the other "
                                    "one, and its tensors have no names")
                self._shapes[site] = "lambda {}: {}".format(", ".join(found[0].parts), one.text)
        return found[0]

    def _reading(self, entry: Entry, call: cst.Call, tensors: Any) -> Any:
        """Returns what a batcher takes: the Element, where its own statement reads, as in `batch([read(queue)], 8)`."""
        draft = entry.draft
        if not entry.is_computing or draft.source.statement(call) is not entry.statement:
            return tensors
        done = draft.edits.done(tensors)
        if isinstance(tensors, (cst.List, cst.Tuple)) and tensors.elements:
            return Element.of([each.value for each in done.elements], draft.source)
        if isinstance(tensors, cst.Call) and self._calls.gives_list(draft, tensors):
            return Element(("tuple({})".format(draft.source.code(done).strip()),), names_of(done).read, True)
        return tensors

    def example(
        self, entry: Entry, site: Site, call: cst.Call, tensors: Any, examples: Examples, scope: Scope, is_join: bool
    ) -> Element:
        """Returns the element that an example is, of tensors or of a list of examples that a call takes."""
        joined = self._joins.joined(site, call, tensors, entry.roots) if is_join else (
            self._reading(entry, call, tensors))
        element = joined if isinstance(joined, Element) else element_of(
            joined, entry.roots, examples.statements, scope, functools.partial(self._calls.shown, entry.draft),
            functools.partial(self._calls.gives_list, entry.draft),
        )
        if element is None:
            raise Irregular(site, "the source does not show whether it batches a list or a dict")
        return element

    def _with_shapes(self, site: Site, element: Element, shapes: Any, scope: Scope) -> Element:
        tf = self._calls.tensorflow(scope, site)
        is_list = isinstance(shapes, (cst.List, cst.Tuple)) and not any(
            isinstance(each, cst.StarredElement) for each in shapes.elements)
        if is_list and (element.is_many or len(element.parts) == 1 and element.is_all):
            # The shapes are those of single examples.
            one = "lambda example: {0}.ensure_shape(example, {2})" if len(shapes.elements) == 1 else (
                "lambda *example: tuple(map({0}.ensure_shape, example, {1}))")
            self._shapes[site] = one.format(tf, scope.code(shapes), scope.code(shapes.elements[0].value))
            return element
        if not is_list or len(shapes.elements) != len(element.parts):
            raise Irregular(site, "its shapes are not a list that the source shows")
        parts = []
        for part, shape in zip(element.parts, shapes.elements):
            text = scope.code(shape.value)
            parts.append("{}.ensure_shape({}, {})".format(tf, part, text))
        return element.with_parts(parts)

    def exclude_each_other(self, entry: Entry, calls: Sequence[cst.Call]) -> bool:
        """Returns whether two calls are in different branches of one `if`."""
        source = entry.draft.source
        chains = [[call] + source.above(call) for call in calls]
        for number, one in enumerate(chains):
            for other in chains[number + 1 :]:
                common = next(each for each in one if any(each is another for another in other))
                is_returned = any(
                    isinstance(each, cst.If) and isinstance(statements_of(each.body)[-1], (cst.Return, cst.Raise))
                    for each in one
                )
                if not isinstance(common, cst.If) and not is_returned:
                    return False
        return True

    def given(self, site: Site, call: cst.Call) -> Dict[str, cst.BaseExpression]:
        """Returns parameter -> expression of the call of a batcher."""
        source = self._calls.draft(site.path).source
        return known(site, passed(call, batchers.PARAMETERS[site.name], Scope(source, source.function(call))))

    def threads(self, batches: Sequence[Batch], scope: Scope) -> str:
        if not batches:
            return ""
        return self._joins.threads(batches[0][1]) or batchers.threads_of(self.given(*batches[0]), scope)

    def settings(self, batches: Sequence[Batch]) -> List[Any]:
        """Returns the expressions that batches are made with, without those of examples."""
        return [
            value for site, call in batches for name, value in self.given(site, call).items()
            if name in _WRITTEN or name == "capacity" and "shuffle" in site.name
        ]

    def turns(self, batches: Sequence[Batch], tf: Callable[[], str]) -> Optional[Turns]:
        """Returns the numbers that examples are computed with, None if they are computed alike."""
        found = [self._joins.turns(call) for _, call in batches]
        join = next((each for each in found if each is not None), None)
        if join is None:
            return None
        if any(each is None or (each.counter, each.number) != (join.counter, join.number) for each in found):
            raise Irregular(join.site, "its examples depend on {!r}, and another batch has them without it".format(
                join.counter))
        return Turns(tf(), join.counter, join.number)

    def write(
        self, entry: Entry, site: Site, call: cst.Call, scope: Scope, block: Any, is_last: bool = True
    ) -> None:
        """Writes the dataset of batches; the call gives its next element, unless another stage follows."""
        source, edits = entry.draft.source, entry.draft.edits
        statement = source.statement(call)
        if not isinstance(statement, (cst.Assign, cst.Return, cst.Expr)) or not self._is_plain(source, call, statement):
            raise Irregular(site, "it is called inside of another expression")
        others = LOOPS + (cst.Try, cst.FunctionDef, cst.ClassDef)
        if any(isinstance(each, others) for each in source.between(statement, block)):
            raise Irregular(site, "it is called in another block than its examples are read in: in a loop, perhaps")
        tf = self._calls.tensorflow(scope, site)
        try:
            lines = batchers.lines_of(
                site.name, self.given(site, call), scope, tf, entry.dataset, is_last and self.prefetches(entry)
            )
        except Cant as why:
            raise Irregular(site, str(why)) from None
        if site in self._shapes:
            lines.insert(0, "{0} = {0}.map({1})".format(entry.dataset, self._shapes[site]))
        comments = _comments_in(call)
        iterator = Scope(source, entry.function).fresh("iterator") if is_last and self.is_initialized else ""
        if iterator:
            # A one-shot iterator can't use tables.
            lines += [
                "{} = {}.data.make_initializable_iterator({})".format(iterator, tf, entry.dataset),
                "{0}.add_to_collection({0}.GraphKeys.TABLE_INITIALIZERS, {1}.initializer)".format(tf, iterator),
            ]

        def make() -> List[Any]:
            made = source.parse("\n".join(lines))
            if comments:
                made[0] = made[0].with_changes(leading_lines=[cst.EmptyLine(comment=cst.Comment(each))
                                                              for each in comments])
            return made

        edits.insert_before(statement, make)
        if is_last:
            edits.replace(call, cst.parse_expression(iterator + ".get_next()") if iterator else (
                self._calls.next_element(entry.dataset, tf)
            ))
        self._written.append(site)

    def prefetches(self, entry: Entry) -> bool:
        """Returns whether batches are made while others are used."""
        # Two datasets with prefetch that end in one session.run can hang on TensorFlow 1.15.
        return all(each.is_endless or each.is_single for each in self._stages) or self._is_alone(entry)

    def _is_alone(self, entry: Entry) -> bool:
        """Returns whether the program makes one dataset only, as far as the source shows it."""
        if not self._calls.is_only_pipeline or not self.is_one_dataset:
            return False
        return entry.function is None or len(self._calls.callers_of(entry.draft, entry.function)) <= 1

    @staticmethod
    def _is_plain(source: Any, call: cst.Call, statement: Any) -> bool:
        node = source.parents[call]
        while node is not statement:
            if isinstance(node, (cst.Lambda, cst.ListComp, cst.GeneratorExp, cst.DictComp, cst.IfExp)):
                return False
            node = source.parents[node]
        return True


def _why_not_alone(source: Any, call: cst.Call, element: Element) -> str:
    """Returns why what a call batches is not what is computed from the reader before, as a clause."""
    branches = [each for each in source.above(call) if isinstance(each, cst.If)]
    if any(names_of(each).bound & element.names for each in branches):
        return "a branch computes and batches its examples, and another branch uses them otherwise: write a dataset " \
               "for each of them"
    return "what it batches does not come from the reader alone"


def _comments_in(node: Any) -> List[str]:
    found: List[str] = []

    class _Finder(cst.CSTVisitor):
        def visit_Comment(self, node: cst.Comment) -> None:
            found.append(node.value)

    node.visit(_Finder())
    return found
