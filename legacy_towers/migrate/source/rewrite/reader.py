"""The reader of a stream: its arguments where the dataset is made, and the statement that made it."""
import functools
from typing import Any, Dict, Optional, Sequence, Set, Tuple

import libcst as cst

from legacy_towers.migrate.source.project import Project
from legacy_towers.migrate.source.rewrite.attributes import attributes_of_class
from legacy_towers.migrate.source.rewrite.carried import MODULE, carried
from legacy_towers.migrate.source.rewrite.checks import Checks
from legacy_towers.migrate.source.rewrite.chosen_reader import (
    branches_in,
    carried_test,
    check_test,
    choice_around,
    combined,
    is_of_two,
    remove_argument,
)
from legacy_towers.migrate.source.rewrite.drafts import Draft, Irregular
from legacy_towers.migrate.source.rewrite.functions import Calls, Defined, uses_of
from legacy_towers.migrate.source.rewrite.keywords import known, passed
from legacy_towers.migrate.source.rewrite.names import dotted, is_of_self, names_of, parameters
from legacy_towers.migrate.source.rewrite.origins import uses_of_binding
from legacy_towers.migrate.source.rewrite.reasons import why_shared
from legacy_towers.migrate.source.rewrite.scope import Scope
from legacy_towers.migrate.source.rewrite.shapes import readers
from legacy_towers.migrate.source.rewrite.shapes.producers import Cant
from legacy_towers.migrate.source.rewrite.syntax import Source, arguments, statements_of
from legacy_towers.migrate.source.rewrite.unread_collections import removes_unread
from legacy_towers.migrate.source.values import Site


class Reader:
    """The reader of a stream.

    Args:
      project: the project.
      calls: the functions and calls of the pipeline.
      site: the call that makes it, None where a queue is read without one.
      read: the call that reads.
      reads: all calls of the pipeline that read.
    """

    def __init__(
        self, project: Project, calls: Calls, site: Optional[Site], read: Site, reads: Sequence[Site] = ()
    ) -> None:
        self._reads = reads
        self._project = project
        self._calls = calls
        self._site = site
        self._read = read
        self._is_chosen = False
        # The functions that pass the queue on, from where the dataset is made, with the calls of them.
        self.outer: Sequence[Tuple[Defined, cst.Call]] = ()

    def records(
        self, scope: Scope, tf: str, through: Optional[Defined] = None, call: Optional[cst.Call] = None
    ) -> Optional[readers.Records]:
        """Returns how it reads, with its arguments as they are written where the dataset is made.

        Args:
          scope: where the dataset is made.
          tf: what TensorFlow is called there.
          through: the function that reads, where the queue is passed to one.
          call: the call of this function.
        """
        if self._site is None:
            return None
        source = self._calls.draft(self._site.path).source
        choice = choice_around(source, self._calls.call(self._site))
        if not is_of_two(choice):
            return self._records_of(self._site, self._calls.call(self._site), scope, tf, through, call)
        if self._read.name != "tf.ReaderBase.read":
            raise Irregular(self._read, "it reads many records at a time, by one of two readers")
        check_test(self._site, choice, Scope(source, source.function(choice)))
        test = carried_test(choice.test, lambda node: self._written(node, scope, through, call))
        if test is None:
            raise Irregular(self._site, "it is chosen in another function than its queue is made in")
        parts = []
        for each in branches_in(choice):
            site = next((one for one in self._project.sites if one.name in readers.PARAMETERS and (
                one.path == self._site.path and self._calls.call(one) is each)), None)
            if site is None:
                raise Irregular(self._site, "the source does not show which of several readers it is")
            parts.append(self._records_of(site, each, scope, tf, through, call))
        return combined(parts[0], parts[1], scope.code(test), self._site)

    def _written(self, node: Any, scope: Scope, through: Optional[Defined], call: Optional[cst.Call]) -> Any:
        """Returns an expression that is beside the reader as it is written where the dataset is made, or None."""
        assert self._site is not None
        there = self._calls.draft(self._site.path).source
        function = there.function(self._calls.call(self._site))
        if function is scope.function and there is scope.source:
            return node
        given = self._given(there, function, scope, through, call)
        return carried(node, Scope(there, function), given, there is scope.source, there.line(node))

    def _records_of(
        self, site: Site, reader: Any, scope: Scope, tf: str, through: Optional[Defined], call: Optional[cst.Call]
    ) -> readers.Records:
        """Returns how the reader of a call reads."""
        there = self._calls.draft(site.path).source
        function = there.function(reader)
        found: Dict[str, Any] = known(site, passed(reader, readers.PARAMETERS[site.name], Scope(there, function)))
        for name, node in found.items():
            found[name] = self._written(node, scope, through, call)
            if found[name] is None:
                is_reading = through is not None and function is through.node
                where = "the function that reads" if is_reading else "another function than its queue is made in"
                raise Irregular(site, "its {} is computed in {}".format(name, where))
        try:
            return readers.records_of(site.name, found, scope, tf)
        except Cant as why:
            raise Irregular(site, str(why)) from None

    def count(self, scope: Scope, through: Optional[Defined] = None, call: Optional[cst.Call] = None) -> str:
        """Returns the expression of how many records read_up_to reads, as it is written where the dataset is made.

        Args:
          scope, through, call: as for `records`.
        """
        read = self._calls.call(self._read)
        there = self._calls.draft(self._read.path).source
        function = there.function(read)
        given = arguments(read, ("queue", "num_records", "name"))
        number = (given or {}).get("num_records")
        if number is not None and (function is not scope.function or there is not scope.source):
            values = self._given(there, function, scope, through, call)
            number = carried(number, Scope(there, function), values, there is scope.source, there.line(read))
        if number is None:
            raise Irregular(self._read, "the number of its records is not known where its queue is made")
        return scope.source.code(number).strip()

    def _given(
        self, there: Source, function: Any, scope: Scope, through: Optional[Defined], call: Optional[cst.Call]
    ) -> Dict[str, Any]:
        """Returns what the parameters of the function that makes the reader are where the dataset is made."""
        given: Dict[str, Any] = {}
        if through is not None and call is not None and function is through.node:
            by_call = self._by_call(through, call, scope)
            given = dict(_defaults(there, function, scope), **by_call) if by_call is not None else {}
        owner = _class_of(there, function)
        if owner is None:
            if function is not None and call is not None and isinstance(call.func, cst.Attribute) and (
                through is not None and function is through.node and isinstance(call.func.value, cst.Name)
                and not self.outer
            ):
                # `inputs.read(queue)`
                given[MODULE] = call.func.value
            return given
        if through is None:
            read = self._calls.call(self._read)
            if there is scope.source and _class_of(there, scope.function) is owner and is_of_self(
                getattr(read.func, "value", None)
            ):
                given["self"] = cst.Name("self")
        elif not self.outer and call is not None and isinstance(call.func, cst.Attribute) and dotted(
            call.func.value
        ) and (
            there is through.draft.source and _class_of(there, through.node) is owner
        ):
            given["self"] = call.func.value
        return given

    def _by_call(self, through: Defined, call: cst.Call, scope: Scope) -> Optional[Dict[str, Any]]:
        """Returns what a call passes, as it is written where the dataset is made."""
        found = arguments(call, parameters(through.node)[1 if through.is_method else 0 :])
        place = call
        for outer, outer_call in reversed(self.outer):
            values = arguments(outer_call, parameters(outer.node)[1 if outer.is_method else 0 :])
            if found is None or values is None:
                return None
            source = outer.draft.source
            inner, line = Scope(source, outer.node), source.line(place)
            here = {name: carried(value, inner, values, source is scope.source, line) for name, value in found.items()}
            found = {name: value for name, value in here.items() if value is not None}
            place = outer_call
        return found

    def remove(self) -> None:
        """Removes the statement that makes the reader, and the parameter by which it is passed to the function."""
        if self._site is None:
            return
        reader, read = self._expression(), self._calls.call(self._read)
        owner = read.func.value if isinstance(read.func, cst.Attribute) else None
        if owner is reader:
            return
        draft, reading = self._calls.draft(self._site.path), self._calls.draft(self._read.path)
        function = reading.source.function(read)
        if isinstance(owner, cst.Name) and function is not None and owner.value in parameters(function):
            self._remove_parameter(reading, function, owner)
            return
        if draft is not reading:
            raise Irregular(self._site, "its reader is used in another file")
        source = draft.source
        statement, target = self._assigned(draft, reader)
        if isinstance(target, cst.Attribute) and dotted(target) == dotted(owner):
            loads = attributes_of_class(self._calls, source, target)
            if [source.parents[each] for each in loads] == [read.func]:
                draft.edits.remove(statement)
                return
        maker = source.function(reader)
        if not isinstance(target, cst.Name) or maker is not function and (
            maker is not None or self._calls.is_used_outside(draft.source.path, target.value)
        ):
            why = why_shared(self._project, self._site, source, reader)
            raise Irregular(self._site, why or "its reader is kept in an object, or used in another function")
        body = maker.body if maker is not None else source.module
        uses = uses_of_binding(source, body, statement, target.value)
        others = [each for each in uses if source.parents[each] is not read.func]
        # One that reads records of a queue would go on with the file that it has of another queue.
        also = {self._calls.call(each).func for each in self._reads if each.path == source.path}
        is_whole = self._site.name == "tf.WholeFileReader"
        if others and not (is_whole and all(source.parents[each] in also for each in others)):
            raise Irregular(self._site, "its reader is used elsewhere")
        if not draft.edits.is_removed(statement):
            draft.edits.remove(statement)

    def _expression(self) -> Any:
        """Returns the expression of the reader: the call that makes it, or what chooses between it and another."""
        assert self._site is not None
        draft = self._calls.draft(self._site.path)
        reader = self._calls.call(self._site)
        choice = choice_around(draft.source, reader)
        if is_of_two(choice) is False and not self._is_chosen:
            self._is_chosen = True
            remove_argument(self._calls, self._site, draft, choice)
        return choice if choice is not None else reader

    def _assigned(self, draft: Draft, reader: cst.Call) -> Tuple[Any, Any]:
        if isinstance(reader, cst.If):
            # Its branches make nothing else.
            return reader, draft.source.statement(branches_in(reader)[0]).targets[0].target
        statement = draft.source.statement(reader)
        if not isinstance(statement, cst.Assign) or statement.value is not reader or len(statement.targets) != 1:
            raise Irregular(self._site or self._read, "its reader is used in an expression")
        return statement, statement.targets[0].target

    def _remove_parameter(self, draft: Draft, function: cst.FunctionDef, owner: cst.Name) -> None:
        """Removes the parameter of a function that is the reader, and what calls pass for it."""
        assert self._site is not None
        name = owner.value
        why = "its reader is passed to a function that uses it in another way"
        if any(each is not owner for each in uses_of(draft.source, function.body, name)):
            raise Irregular(self._site, why)
        defined = self._calls.of_node(draft, function)
        param = next(each for each in function.params.params if each.name.value == name)
        values = [param.default] if param.default is not None else []
        order = parameters(function)[1 if defined.is_method else 0 :]
        calls = []
        for there, call in self._calls.callers(defined):
            given = arguments(call, order)
            if given is None or name not in given and param.default is None:
                raise Irregular(self._site, why, there.source.line(call))
            if name in given:
                values.append(given[name])
                calls.append((there, call, given[name]))
        passed_on = [each for each in calls if _is_parameter_of(each[0].source, *each[1:])]
        for there, call, value in passed_on:
            # A function that passes the reader on, as it passes the queue on.
            around: Any = there.source.function(call)
            argument: Any = value
            self._remove_parameter(there, around, argument)
        values = [each for each in values if all(each is not value for _, _, value in passed_on)]
        if values or not passed_on:
            self._remove_value(values)
        draft.edits.replace(function.params, lambda params: params.with_changes(params=_ended([
            each for each in params.params if each.name.value != name
        ])))
        for there, call, value in calls:
            there.edits.replace(call, functools.partial(_without, [each.value is value for each in call.args]))

    def _remove_value(self, values: Sequence[Any]) -> None:
        """Removes the statement that makes the reader, where `values` are the only places that use it."""
        assert self._site is not None
        reader = self._expression()
        if all(each is reader for each in values):
            return
        draft = self._calls.draft(self._site.path)
        source = draft.source
        statement, target = self._assigned(draft, reader)
        maker = source.function(reader)
        if is_of_self(target):
            loads = attributes_of_class(self._calls, source, target)
            if len(loads) == len(values) and all(any(each is one for one in values) for each in loads):
                draft.edits.remove(statement, with_comments=True)
                return
        name = getattr(target, "value", "")
        uses = [
            each for each in uses_of(source, maker.body if maker is not None else source.module, name)
            if not _is_parameter(source, each, maker)
        ]
        is_same = len(uses) == len(values) and all(any(each is use for use in uses) for each in values)
        if not isinstance(target, cst.Name) or not is_same or maker is None and self._calls.is_used_outside(
            draft.source.path, target.value
        ):
            raise Irregular(self._site, "its reader is used elsewhere")
        draft.edits.remove(statement)

    def problem_in(self, defined: Defined) -> Optional[Tuple[str, int]]:
        """Returns why a function that reads can't be one of Dataset.map."""
        source = defined.draft.source
        own = (self._calls.call(self._read), self._calls.call(self._site) if self._site is not None else None)
        skipped = {source.statement(each) for each in own if each is not None}
        nodes = [each for each in statements_of(defined.node.body) if each not in skipped]
        removes = removes_unread(self._calls, self._read)
        checks = Checks(self._project.knowledge, source, removes, True)
        why = checks.problem_of_outer(defined.function)
        return (why, source.line(defined.node)) if why is not None else checks.problem_inside(nodes)


def _defaults(source: Source, function: cst.FunctionDef, scope: Scope) -> Dict[str, Any]:
    """Returns parameter -> default, of the defaults of a function that mean the same in `scope`."""
    own: Set[str] = set()
    if scope.function is not None:
        own = set(parameters(scope.function)) | names_of(*scope.function.body.body).bound
    found = {}
    for each in function.params.params:
        value = each.default and carried(
            each.default, Scope(source, None), {}, source is scope.source, source.line(function)
        )
        if value is not None and not names_of(value).read & own:
            found[each.name.value] = value
    return found


def _class_of(source: Source, function: Any) -> Any:
    """Returns the class whose method a function is, None if it is not one."""
    if function is None:
        return None
    around = source.parents.get(source.parents[function])
    return around if isinstance(around, cst.ClassDef) else None


def _is_parameter_of(source: Source, call: cst.Call, value: Any) -> bool:
    """Returns whether what a call passes is a parameter of the function that it is in, which does not bind it."""
    function = source.function(call)
    return function is not None and isinstance(value, cst.Name) and value.value in parameters(function) and (
        value.value not in names_of(*function.body.body).bound)


def _is_parameter(source: Source, use: cst.Name, function: Any) -> bool:
    """Returns whether a name is that of a parameter, of a function within `function`."""
    for each in source.above(use):
        if each is function:
            break
        if isinstance(each, cst.FunctionDef) and use.value in parameters(each):
            return any(one is each.body for one in source.above(use))
    return False


def _without(dropped: Sequence[bool], call: cst.Call) -> cst.Call:
    return call.with_changes(args=_ended([each for each, is_dropped in zip(call.args, dropped) if not is_dropped]))


def _ended(parts: Sequence[Any]) -> Sequence[Any]:
    """Returns arguments or parameters of which the last one has no comma."""
    return list(parts[:-1]) + [parts[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)] if parts else []
