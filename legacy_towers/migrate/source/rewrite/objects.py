"""Objects whose methods read a queue that the object keeps: which calls of a method are of which object.

    train, test = Reader(a), Reader(b)                each object has a queue of its own, which
    batches = [train.batch(), test.batch()]           one call reads
"""
from typing import Any, List

import libcst as cst

from legacy_towers.migrate.source.rewrite.attributes import uses_in_project
from legacy_towers.migrate.source.rewrite.checks import calls_in
from legacy_towers.migrate.source.rewrite.drafts import Draft, Irregular
from legacy_towers.migrate.source.rewrite.functions import Calls
from legacy_towers.migrate.source.rewrite.names import dotted, is_of_self
from legacy_towers.migrate.source.rewrite.region import in_order
from legacy_towers.migrate.source.rewrite.scope import Scope
from legacy_towers.migrate.source.rewrite.syntax import LOOPS, Source
from legacy_towers.migrate.source.rewrite.taken import attributes_of, is_bound
from legacy_towers.migrate.source.values import Site


def class_of(source: Any, node: cst.CSTNode) -> Any:
    """Returns the class whose method a node is in, None without it."""
    function = source.function(node)
    above = source.above(function) if function is not None else []
    return above[1] if len(above) > 1 and isinstance(above[1], cst.ClassDef) else None


def check_once(calls: Calls, draft: Draft, method: Any, owner: Any, site: Site) -> None:
    """Raises Irregular if a method may run several times for one object.

    Args:
      calls: the functions and calls of the pipeline.
      draft: the file of the method.
      method: the method.
      owner: its class.
      site: the call that reads a queue of the object.
    """
    where, function = draft, method
    seen: List[Any] = []
    while function is not None and not any(function is each for each in seen):
        seen.append(function)
        if function.name.value == "__init__" and owner is not None and class_of(where.source, function.body) is owner:
            # Each object is made once.
            return
        found = calls.callers_of(where, function)
        in_loop = [call for there, call in found for each in there.source.above(call) if isinstance(each, LOOPS)]
        named = _uses_of_method(calls, where, function)
        made = [object_of(calls, there.source, call, owner) for there, call in found]
        if found and named == len(found) and None not in made and len({id(each) for each in made}) == len(made):
            # Each call is of an object of its own.
            return
        if len(found) > 1 or in_loop or named > len(found):
            raise Irregular(site, "{!r} reads a queue that its object keeps, and is called several times".format(
                function.name.value), draft.source.line(method))
        if not found:
            raise Irregular(site, "nothing in the project is known to call {!r}, which reads a queue that its object "
                            "keeps".format(function.name.value), draft.source.line(method))
        where, call = found[0]
        function = where.source.function(call)
        if function is not None and _makes(where.source, function, owner):
            # Each run of it makes an object of its own.
            return


def object_of(calls: Calls, source: Source, call: cst.Call, owner: Any) -> Any:
    """Returns the call of a class that makes the object whose method `call` calls; None if it may be another's.

    Both are in the same function and the same loops, so that each call of the method is of a new object. The object may
    be an attribute of such an object: `data = Data(); data.train.batch()`.
    """
    name: Any = getattr(call.func, "value", None)
    if owner is None:
        return None
    if isinstance(name, cst.Attribute) and isinstance(name.value, cst.Name):
        return _object_of_attribute(calls, source, call, name, owner)
    return _made_by(source, call, name, owner) if isinstance(name, cst.Name) else None


def _object_of_attribute(calls: Calls, source: Source, call: cst.Call, name: Any, owner: Any) -> Any:
    """Returns the call that makes the object which a constructor keeps as an attribute, and whose method is called."""
    outer = Scope(source, source.function(call)).resolved(name.value)
    around = class_of(source, call) if name.value.value == "self" else None
    kind = around.name.value if around is not None else dotted(getattr(outer, "func", None)).rpartition(".")[2]
    family = calls.families().get(kind, {kind})
    found = []
    for path in sorted(set(calls.project.knowledge.calls) | {source.path}):
        there = calls.draft(path).source
        for each in attributes_of(there.module, name.attr.value):
            # The attribute of another class has another value.
            own = class_of(there, each) if is_of_self(each) else None
            if is_bound(there, each) and (own is None or own.name.value in family):
                found.append((there, each))
    if len(found) != 1:
        return None
    there, target = found[0]
    statement, function = there.statement(target), there.function(target)
    holder = class_of(there, target)
    # A name, not `a, self.b = ...`.
    is_plain = is_of_self(target) and isinstance(statement, cst.Assign) and len(statement.targets) == 1 and (
        function is not None and function.name.value == "__init__" and holder is not None
        and statement in in_order(function.body))
    made: Any = statement.value if is_plain else None
    if not isinstance(made, cst.Call) or dotted(made.func).rpartition(".")[2] != owner.name.value:
        return None
    if name.value.value == "self":
        # Another call in the constructor, after it.
        is_here = there is source and source.function(call) is function and source.line(made) <= source.line(call)
        is_repeated = any(isinstance(each, LOOPS) for each in source.above(call))
        return made if is_here and not is_repeated else None
    return made if _made_by(source, call, name.value, holder) is not None else None


def _made_by(source: Source, call: cst.Call, name: cst.Name, owner: Any) -> Any:
    """Returns the call of a class that makes the object which a name stands for in a call."""
    made = Scope(source, source.function(call)).resolved(name)
    if not isinstance(made, cst.Call) or dotted(made.func).rpartition(".")[2] != owner.name.value:
        return None
    loops = [[each for each in source.above(node) if isinstance(each, LOOPS + (cst.FunctionDef,))]
             for node in (made, call)]
    is_same = len(loops[0]) == len(loops[1]) and all(one is other for one, other in zip(*loops))
    return made if is_same and source.line(made) <= source.line(call) else None


def _uses_of_method(calls: Calls, draft: Draft, function: cst.FunctionDef) -> int:
    """Returns how often the project's files name a method; 0 for another function."""
    if class_of(draft.source, function.body) is None:
        return 0
    api = {(site.path, site.line, site.column - 1) for site in calls.project.sites}
    count = 0
    for source, each in uses_in_project(calls, draft.source, function.name.value, function):
        call: Any = source.parents[each]
        # `reader.read`, the method of TensorFlow, is another one.
        count += not isinstance(call, cst.Call) or (source.path,) + source.key(call) not in api
    return count


def _makes(source: Any, function: cst.FunctionDef, owner: cst.ClassDef) -> bool:
    """Returns whether each run of a function makes one object of a class."""
    made = [
        call for call in calls_in(function)
        if owner.name.value == (call.func.attr.value if isinstance(call.func, cst.Attribute)
                                else getattr(call.func, "value", ""))
    ]
    return len(made) == 1 and not any(isinstance(each, LOOPS) for each in source.above(made[0]))
