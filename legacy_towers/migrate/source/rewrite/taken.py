"""How code takes what a reader or queue gives."""
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import libcst as cst

from legacy_towers.migrate.source.project import Project
from legacy_towers.migrate.source.rewrite.checks import calls_in
from legacy_towers.migrate.source.rewrite.drafts import Draft, Irregular
from legacy_towers.migrate.source.rewrite.edits import Edits
from legacy_towers.migrate.source.rewrite.examples import Roots
from legacy_towers.migrate.source.rewrite.functions import Calls, uses_of
from legacy_towers.migrate.source.rewrite.names import base_name, dotted, is_of_self, name_of, names_of, parameters
from legacy_towers.migrate.source.rewrite.scope import Scope, imports_of
from legacy_towers.migrate.source.rewrite.shapes import slim_readers
from legacy_towers.migrate.source.rewrite.shapes.producers import is_matched
from legacy_towers.migrate.source.rewrite.syntax import Source, statements_of
from legacy_towers.migrate.source.rewrite.visiting import Visitor
from legacy_towers.migrate.source.values import Site

_READ = "tf.ReaderBase.read"
_READS = (_READ, "tf.ReaderBase.read_up_to", slim_readers.PARALLEL_READ, slim_readers.SINGLE_PASS_READ)
_SLICES = "tf.train.slice_input_producer"
# The keys of these are file names.
_NAMED = ("tf.WholeFileReader", "tf.IdentityReader")
# The keys of these are file names and numbers.
_NUMBERED = ("tf.TFRecordReader", "tf.TextLineReader", "tf.FixedLengthRecordReader")


class Taken(NamedTuple):
    """How code takes what a reader or queue gives.

    Attributes:
      statement: the statement.
      roots: the names that it binds; the name that stands for the expression otherwise.
      expression: what that name stands for in the statement, None if the statement only binds names.
      key: the name of the key, "" if it is not used.
    """

    statement: Any
    roots: Roots
    expression: Any
    key: str

    def use_names(self, edits: Edits) -> None:
        """Lets the statement compute with the name in place of what is read; removes it if it only binds names."""
        if self.expression is None:
            edits.remove(self.statement)
        else:
            edits.replace(self.expression, cst.Name(self.roots.names[0]))


class Takes:
    """What takes the results of a pipeline's reader.

    Args:
      project: the project.
      sites: the calls of the pipeline.
      calls: its functions and calls.
      read: the call that reads: of reader.read, of the queue's dequeue, or of the producer.
      reader: the call that makes the reader, if there is one.
    """

    def __init__(
        self, project: Project, sites: Sequence[Site], calls: Calls, read: Site, reader: Optional[Site]
    ) -> None:
        self._project = project
        self._sites = sites
        self._calls = calls
        self._read = read
        self._reader = reader

    def of(self, draft: Draft, call: cst.Call) -> Taken:
        """Returns what takes the result of reader.read, queue.dequeue or slice_input_producer."""
        source = draft.source
        statement = source.statement(call)
        if self._read.name not in _READS:
            if isinstance(statement, cst.Assign) and statement.value is call and len(statement.targets) == 1:
                target: Any = statement.targets[0].target
                if isinstance(target, cst.Name):
                    return Taken(statement, Roots((target.value,), self._read.name == _SLICES), None, "")
                if is_of_self(target) and self._read.name == _SLICES:
                    return Taken(statement, Roots((name_of(target),), True), None, "")
                names = self._names_of_targets(source, target)
                return Taken(statement, Roots(names), None, "")
            raise Irregular(self._read, "its result is used in an expression")
        node: Any = call
        parent: Any = source.parents[call]
        if isinstance(parent, cst.Subscript) and source.code(parent)[len(source.code(call)) :].strip() == "[1]":
            node = parent
        if isinstance(statement, cst.Assign) and statement.value is node and len(statement.targets) == 1:
            target = statement.targets[0].target
            if node is call and isinstance(target, cst.Tuple) and len(target.elements) == 2:
                key, value = [each.value for each in target.elements]
                if name_of(value):
                    used = self._used_key(draft, statement, key)
                    names = (used, name_of(value)) if used else (name_of(value),)
                    return Taken(statement, Roots(names), None, used)
            if node is not call and name_of(target):
                return Taken(statement, Roots((name_of(target),)), None, "")
        elif node is not call:
            return Taken(statement, Roots((Scope(source, None).fresh("serialized", "record"),)), node, "")
        raise Irregular(self._read, "its key and value are not bound to two names")

    def _names_of_targets(self, source: Any, target: Any) -> Tuple[str, ...]:
        names: List[Any] = [target]
        if isinstance(target, (cst.Tuple, cst.List)):
            names = [each.value for each in target.elements]
        if not all(map(name_of, names)):
            raise Irregular(self._read, "its result is kept in an object")
        return tuple(map(name_of, names))

    def _used_key(self, draft: Draft, statement: Any, key: Any) -> str:
        """Returns the name of the key, "" if nothing uses it."""
        source = draft.source
        is_numbered = self._reader is not None and self._reader.name in _NUMBERED
        if isinstance(key, cst.Attribute):
            attribute = key.attr.value
            for path in sorted({site.path for site in self._sites} | set(self._project.knowledge.calls)):
                there = self._calls.draft(path).source
                for each in attributes_of(there.module, attribute):
                    if each is not key and not is_bound(there, each) and not self._is_of_tensorflow(there, each.value):
                        if is_numbered and isinstance(key.value, cst.Name) and _is_passed(source, statement.value):
                            return self._kept_key(draft, statement, key)
                        raise Irregular(self._read, "its key is used",
                                        self._calls.draft(path).source.line(each))
            return ""
        if not isinstance(key, cst.Name):
            raise Irregular(self._read, "its key is kept in an object")
        function = source.function(statement)
        body = function.body if function is not None else source.module
        used = uses_of(source, body, key.value)
        if not used:
            return ""
        if self._reader is None or self._reader.name not in _NAMED and not is_numbered:
            raise Irregular(self._read, "its key is used, which tf.data does not have",
                            source.line(used[0]))
        return str(key.value)


    def _kept_key(self, draft: Draft, statement: Any, key: cst.Attribute) -> str:
        """Keeps the key that a function gets with its record where the reader put it, and returns its name."""
        source = draft.source
        name = Scope(source, None).fresh("key", "record_key")
        if statement not in self._calls.keeping:
            self._calls.keeping.add(statement)
            draft.edits.insert_before(statement, lambda: source.parse("{} = {}".format(source.code(key), name)))
        return name

    def _is_of_tensorflow(self, source: Source, node: Any) -> bool:
        """Returns whether an expression is a name that only has what a module of TensorFlow returns.

        Copies of TensorFlow's tests of its own models import `tensorflow.models.image.cifar10`.
        """
        made = Scope(source, source.function(node)).resolved(node) if isinstance(node, cst.Name) else None
        module = base_name(made.func) if isinstance(made, cst.Call) else ""
        return bool(module) and any(
            isinstance(each, cst.ImportFrom) and not each.relative and _is_within(each.module, "tensorflow")
            and self._project.imports.module(source.path, dotted(each.module), 0) is None
            and not isinstance(each.names, cst.ImportStar)
            and any(module == dotted(one.asname.name if one.asname is not None else one.name) for one in each.names)
            for each in imports_of(source.module)
        )


def _is_passed(source: Source, read: cst.Call) -> bool:
    """Returns whether reader.read reads a queue that is a parameter of its function."""
    function = source.function(read)
    queue: Any = read.args[0].value if read.args else None
    return function is not None and isinstance(queue, cst.Name) and queue.value in parameters(function)


def _is_within(module: Any, package: str) -> bool:
    return (dotted(module) + ".").startswith(package + ".")


def is_bound(source: Any, node: cst.Attribute) -> bool:
    """Returns whether an assignment binds an attribute: `result.key, value = ...`."""
    around = source.parents[node]
    if isinstance(around, cst.Element):
        around = source.parents[source.parents[around]]
    return isinstance(around, cst.AssignTarget)


def attributes_of(module: cst.Module, name: str) -> List[cst.Attribute]:
    """Returns the attributes of this name in a module."""
    found: List[cst.Attribute] = []

    class _Finder(Visitor):
        def visit_Attribute(self, node: cst.Attribute) -> None:
            if node.attr.value == name:
                found.append(node)

    _Finder().visit(module)
    return found


def is_next(draft: Draft, producer: cst.Call, statement: Any) -> bool:
    """Returns whether only removed statements are between the producer and a statement."""
    first = draft.source.statement(producer)
    block = draft.source.block(first)
    statements = statements_of(block)
    if draft.source.block(statement) is not block:
        return False
    between = statements[statements.index(first) + 1 : statements.index(statement)]
    return all(draft.edits.is_changed(each) for each in between)


def put_matched(draft: Draft, scope: Scope, given: Dict[str, Any]) -> None:
    """Puts `match_filenames_once(...)` in place of a name that stands for it.

    Where the names of the files are also counted, fetched or printed, `matching_files` gives them, which needs no
    initializer.
    """
    name = given.get("string_tensor")
    value = scope.resolved(name)
    if not isinstance(name, cst.Name) or not is_matched(value):
        return
    source = draft.source
    body = scope.function.body if scope.function is not None else source.module
    others = [each for each in uses_of(source, body, name.value) if each is not name]
    tensorflow = scope.tensorflow()
    if not others:
        draft.edits.remove(source.statement(value))
        given["string_tensor"] = value
    elif tensorflow is not None and len(value.args) == 1 and all(
        _is_fetched(source, each) or _is_counted(source, each, tensorflow) for each in others
    ):
        pattern = value.args[0].value
        is_joined = all(dotted(each.func) in _names_of_join(source) for each in calls_in(pattern))
        if is_joined and all(len(scope.assigned(each)) < 2 for each in names_of(pattern).read):
            # It is evaluated twice.
            draft.edits.replace(value.func, cst.parse_expression("{}.matching_files".format(tensorflow)))
            given["string_tensor"] = value


def _names_of_join(source: Any) -> List[str]:
    """Returns what a file calls os.path.join."""
    found = ["os.path.join"]
    for each in imports_of(source.module):
        module = dotted(each.module) if isinstance(each, cst.ImportFrom) and each.module is not None else ""
        for name in () if isinstance(each.names, cst.ImportStar) else each.names:
            if name.asname is None and (module, dotted(name.name)) in (("os.path", "join"), ("os", "path")):
                found.append("join" if module == "os.path" else "path.join")
    return found


def _is_counted(source: Any, use: cst.Name, tensorflow: str) -> bool:
    """Returns whether a name is passed to tf.size or tf.shape."""
    call = source.parents[source.parents[use]]
    return isinstance(source.parents[use], cst.Arg) and isinstance(call, cst.Call) and call.args[0].value is use and (
        dotted(call.func) in ("{}.{}".format(tensorflow, each) for each in ("size", "shape")))


def _is_fetched(source: Any, use: cst.Name) -> bool:
    """Returns whether a name is printed, or fetched by session.run alone or in a list."""
    around = source.parents[use]
    is_in_list = isinstance(around, cst.Element) and isinstance(source.parents[around], cst.List)
    argument = source.parents[source.parents[around]] if is_in_list else around
    call = source.parents[argument]
    if not isinstance(argument, cst.Arg) or not isinstance(call, cst.Call):
        return False
    is_run = isinstance(call.func, cst.Attribute) and call.func.attr.value == "run" and call.args[0] is argument
    return is_run or isinstance(call.func, cst.Name) and call.func.value == "print"


def is_printed(source: Any, use: cst.CSTNode) -> bool:
    """Returns whether a use of a name only prints it: `print(queue)`."""
    argument = source.parents[use]
    call = source.parents[argument]
    return isinstance(argument, cst.Arg) and isinstance(call, cst.Call) and dotted(call.func) == "print" and (
        isinstance(source.parents[call], cst.Expr))
