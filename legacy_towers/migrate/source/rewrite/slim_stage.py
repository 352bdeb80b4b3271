"""slim's DatasetDataProvider and parallel_read, which become a dataset of records.

    provider = DatasetDataProvider(data, num_readers=2)     filenames = get_data_files(data.data_sources)
                                                            dataset = Dataset.from_tensor_slices(filenames)
                                                            dataset = dataset.shuffle(...).repeat().interleave(...)
    [image, label] = provider.get(["image", "label"])       def parse(record):
                                                                [image, label] = data.decoder.decode(record, [...])

Where code uses the provider otherwise, or passes it to functions, parse makes one of the items of the record.
"""
from typing import Any, Dict, List, Optional, Set

import libcst as cst

from legacy_towers.migrate.source.names import canonical_name
from legacy_towers.migrate.source.queue_api import DESCRIPTIONS
from legacy_towers.migrate.source.rewrite.checks import Checks
from legacy_towers.migrate.source.rewrite.drafts import Draft, Irregular
from legacy_towers.migrate.source.rewrite.entries import Entry
from legacy_towers.migrate.source.rewrite.examples import Roots
from legacy_towers.migrate.source.rewrite.functions import uses_of
from legacy_towers.migrate.source.rewrite.keywords import items_of, known, passed
from legacy_towers.migrate.source.rewrite.names import dotted, names_of
from legacy_towers.migrate.source.rewrite.scope import Scope, literal
from legacy_towers.migrate.source.rewrite.shapes import readers, slim_readers
from legacy_towers.migrate.source.rewrite.shapes.producers import Cant
from legacy_towers.migrate.source.rewrite.source_stage import SourceStage
from legacy_towers.migrate.source.rewrite.syntax import arguments
from legacy_towers.migrate.source.rewrite.visiting import Visitor
from legacy_towers.migrate.source.values import Site

_DATASET = DESCRIPTIONS[1]


class SlimStage(SourceStage):
    """What slim reads: one of `slim_readers.PARAMETERS`.

    The arguments and attributes are those of SourceStage; `read` is the call of slim.
    """

    def entry(self, is_batched: bool) -> Optional[Entry]:
        """Writes the dataset of records, and returns where code gets them."""
        site = self._producer
        call = self._calls.call(site)
        draft = self._calls.draft(site.path)
        source = draft.source
        scope = Scope(source, source.function(call))
        given = known(site, passed(call, slim_readers.PARAMETERS[site.name], scope))
        self.is_endless = site.name != slim_readers.SINGLE_PASS_READ and (
            "num_epochs" not in given or literal(given["num_epochs"]) == "None")
        self._check_given(site, given, scope)
        tf = self._calls.tensorflow(scope, site)
        records = self._records(site, given, scope, tf)
        dataset = self._calls.dataset_name(scope)
        is_provider = site.name == slim_readers.PROVIDER
        data, lines = self._described(given, scope) if is_provider else ("", [])
        lines += slim_readers.lines_of(
            site.name, given, data + ".data_sources" if is_provider else scope.code(given["data_sources"]), records,
            scope, tf, _slim(scope, tf), dataset)
        if is_provider:
            return self._provided(draft, scope, call, data, lines, dataset, tf, is_batched)
        taken = self.takes.of(draft, call)
        self._check_place(draft, taken.statement, self._joins.place(source, taken.statement))
        self._check_read_once(draft, taken)
        if self._joins.readers_of(draft, taken.statement):
            raise Irregular(site, "it is called for each of several readers")
        draft.edits.insert_before(taken.statement, lambda: source.parse("\n".join(lines)))
        if not is_batched:
            if taken.expression is not None:
                draft.edits.replace(taken.expression, cst.Name(taken.roots.names[0]))
            self._read_next(draft, scope, tf, dataset, taken)
            return None
        taken.use_names(draft.edits)
        return Entry(draft, scope.function, taken.statement, taken.roots, taken.expression is not None, dataset)

    def _check_given(self, site: Site, given: Dict[str, Any], scope: Scope) -> None:
        if "record_key" in given or b"record_key" in self._project.files[site.path].source:
            raise Irregular(site, "its record_key is used, which tf.data does not have")
        if "dtypes" in given and literal(given["dtypes"]) != "None":
            raise Irregular(site, "its records are not strings")
        checks = Checks(self._project.knowledge, scope.source)
        why = next((why for why in map(checks.problem_of_value, given.values()) if why), None)
        why = why or checks.problem_of_captured(names_of(*given.values()).read, scope, list(given.values()))
        if why is not None:
            raise Irregular(site, why)

    # How it reads

    def _records(self, site: Site, given: Dict[str, Any], scope: Scope, tf: str) -> readers.Records:
        options: Optional[Dict[str, Any]] = {}
        if "reader_kwargs" in given and literal(given["reader_kwargs"]) != "None":
            options = items_of(given["reader_kwargs"], scope)
        if options is None:
            raise Irregular(site, "the source does not show its reader_kwargs")
        names = self._readers(site)
        if len(names) != 1:
            raise Irregular(site, "its files are read by different readers" if names else (
                "the source does not show the reader of its files"))
        (name,) = names
        if name not in readers.PARAMETERS:
            raise Irregular(site, "tf.data has no {}".format(name))
        try:
            return readers.records_of(name, options, scope, tf)
        except Cant as why:
            raise Irregular(site, str(why)) from None

    def _readers(self, site: Site) -> Set[str]:
        """Returns the names of the classes of readers that it may read with."""
        if site.name != slim_readers.PROVIDER:
            return self._classes(site, "reader_class")
        described = [each for each in self._project.sources(site) if each.name == _DATASET]
        if not described:
            # What a factory looks up in a table of modules.
            described = [each for each in self._project.sites if each.name == _DATASET]
        for each in described:
            if b"LookupTensor" in self._project.files[each.path].source:
                raise Irregular(site, "its decoder uses a table, which nothing would initialize in the dataset")
        found = [self._classes(each, "reader") for each in described]
        return set().union(*found) if all(found) else set()

    def _classes(self, site: Site, parameter: str) -> Set[str]:
        values = [each for key, each in site.arguments.items() if key in (1, parameter)]
        return {
            str(each.what) for every in values for each in self._project.knowledge.resolved(every)
            if each.kind == "api" and each.what.endswith("Reader")
        }

    # Providers

    def _described(self, given: Dict[str, Any], scope: Scope) -> Any:
        """Returns the name of the slim.dataset.Dataset, and the statements that give it one."""
        node = given["dataset"]
        if dotted(node):
            return scope.code(node), []
        name = scope.fresh("data", "description")
        return name, ["{} = {}".format(name, scope.code(node))]

    def _provided(
        self, draft: Draft, scope: Scope, call: cst.Call, data: str, lines: List[str], dataset: str, tf: str,
        is_batched: bool
    ) -> Optional[Entry]:
        source, edits = draft.source, draft.edits
        site = self._producer
        statement = source.statement(call)
        target = statement.targets[0].target if isinstance(statement, cst.Assign) and len(statement.targets) == 1 and (
            statement.value is call) else None
        if not isinstance(target, cst.Name):
            raise Irregular(site, "its provider is kept in an object, or used in an expression")
        body = scope.function.body if scope.function is not None else source.module
        uses = uses_of(source, body, target.value)
        gets = [self._calls.call(each) for each in self._gets() if each.path == source.path]
        record = scope.fresh("record", "serialized")
        self._check_place(draft, statement, self._joins.place(source, statement))
        edits.insert_before(statement, lambda: source.parse("\n".join(lines)))
        around = [source.parents[source.parents[each]] for each in uses]
        items = arguments(gets[0], ("items",)) if len(gets) == 1 and around == gets else None
        if items is not None and len(items) == 1:
            got = source.statement(gets[0])
            self._check_place(draft, statement, self._joins.place(source, got))
            edits.replace(gets[0], cst.parse_expression("{}.decoder.decode({}, {})".format(
                data, record, scope.code(items["items"]))))
            edits.remove(statement)
            return self._decoded(draft, scope, got, record, dataset, tf, is_batched)
        text = (
            "{0}.data_provider.DataProvider(\n"
            "    dict(zip({1}.decoder.list_items(), {1}.decoder.decode({2}, {1}.decoder.list_items()))),\n"
            "    {1}.num_samples)"
        ).format(_slim(scope, tf), data, record)
        edits.replace(call, cst.parse_expression(text))
        return self._decoded(draft, scope, statement, record, dataset, tf, is_batched)

    def _decoded(
        self, draft: Draft, scope: Scope, statement: Any, record: str, dataset: str, tf: str, is_batched: bool
    ) -> Optional[Entry]:
        """Returns the entry whose statement decodes a record; where nothing batches, it is the next one."""
        if is_batched:
            return Entry(draft, scope.function, statement, Roots((record,)), True, dataset)
        element = draft.source.code(self._calls.next_element(dataset, tf))
        self._insert_next(draft, tf, record, element, statement)
        return None

    def _gets(self) -> List[Site]:
        return [each for each in self.sites if each.name == slim_readers.GET]


def _slim(scope: Scope, tf: str) -> str:
    """Returns what a file calls slim."""
    found: List[str] = []

    class _Finder(Visitor):
        def visit_ImportFrom(self, node: cst.ImportFrom) -> bool:
            module = dotted(node.module) if node.module is not None and not node.relative else ""
            for alias in () if isinstance(node.names, cst.ImportStar) else node.names:
                self._add("{}.{}".format(module, dotted(alias.name)), alias)
            return False

        def visit_Import(self, node: cst.Import) -> bool:
            for alias in node.names:
                self._add(dotted(alias.name), alias)
            return False

        def visit_Assign(self, node: cst.Assign) -> bool:
            target = node.targets[0].target
            if isinstance(target, cst.Name) and dotted(node.value) == tf + ".contrib.slim":
                if scope.source.function(node) is None:
                    found.append(str(target.value))
            return False

        @staticmethod
        def _add(name: str, alias: Any) -> None:
            if canonical_name(name) == "tf.contrib.slim":
                found.append(dotted(alias.asname.name) if alias.asname is not None else dotted(alias.name))

    _Finder().visit(scope.source.module)
    return found[0] if found else tf + ".contrib.slim"
