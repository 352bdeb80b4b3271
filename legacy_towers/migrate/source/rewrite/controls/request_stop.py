"""`coord.request_stop()`: what ends a loop becomes `break`, an error that was reported is raised, all others go.

    finally:                                    goes, with its `finally`
        coord.request_stop()
    while not coord.should_stop():              while True:
        ...                                         ...
        if step == last:                            if step == last:
            coord.request_stop()                        break
    except Exception as e:                      except tf.errors.OutOfRangeError:
        coord.request_stop(e)                       pass
    except Exception as e:                      except Exception as e:
        print(e)                                    print(e)
        coord.request_stop(e)                       if not isinstance(e, tf.errors.OutOfRangeError):
                                                        raise

`coord.join` raises the error that was reported, except the end of the data: where it follows directly, the error may
be raised at once.
"""
from typing import Any, List, Optional

import libcst as cst

from legacy_towers.migrate.source.rewrite.controls.blocks import Changes
from legacy_towers.migrate.source.rewrite.controls.files import ControlFile
from legacy_towers.migrate.source.rewrite.controls.flow import ends_pass, following, is_left_after, loops_around
from legacy_towers.migrate.source.rewrite.controls.should_stop import asks_in_loop
from legacy_towers.migrate.source.rewrite.controls.uses import (
    CoordinatorUses,
    caught,
    is_end_of_data,
    only_end_of_data,
)
from legacy_towers.migrate.source.rewrite.visiting import Visitor


def remove(file: ControlFile, uses: CoordinatorUses, changes: Changes) -> bool:
    """Adds the changes of the requests to stop; returns False if the coordinator must stay."""
    for call in uses.stopped:
        changes.remove(file.source.statement(call))
    for call in uses.stopped:
        if not _ends_as_before(file, call, uses, changes):
            return False
        if call.args and not _raises_as_before(file, call, uses, changes):
            return False
    return True


# Ends of loops


def _ends_as_before(file: ControlFile, call: cst.Call, uses: CoordinatorUses, changes: Changes) -> bool:
    """Makes a request that ends a loop a `break`; returns False where neither that nor nothing is the same."""
    source = file.source
    statement = source.statement(call)
    asked = [each for each in uses.asked if uses.may_be_asked_after(call, each, source)]
    if not asked:
        return True
    if is_left_after(statement, source, changes.is_removed):
        loops = loops_around(call, source)[:1]
        return all(_is_inside(each, loops, source) and not _again(call, each, loops, uses, file) for each in asked)
    loop = _ended_loop(file, call, uses)
    if loop is None or any(
        not _is_inside(each, [loop], source) or _again(call, each, [loop], uses, file) for each in asked
    ):
        return False
    if not _asks_no_more(file, statement, uses) or not ends_pass(statement, loop, source):
        return False
    _add_break(file, statement, changes)
    return True


def _is_inside(node: cst.CSTNode, loops: List[Any], source: Any) -> bool:
    return bool(loops) and loops[0] in loops_around(node, source)


def _again(call: cst.Call, asked: cst.Call, left: List[Any], uses: CoordinatorUses, file: ControlFile) -> bool:
    """Returns whether a loop around the one that is left asks the same coordinator again."""
    made = loops_around(uses.created[0], file.source)
    common = [each for each in loops_around(call, file.source) if each in loops_around(asked, file.source)]
    return any(each not in made and each not in left for each in common)


def _ended_loop(file: ControlFile, call: cst.Call, uses: CoordinatorUses) -> Optional[cst.While]:
    """Returns the loop that a request ends: the innermost one, if its condition asks and does nothing else."""
    loops = loops_around(call, file.source)
    loop = loops[0] if loops else None
    if not isinstance(loop, cst.While) or loop.orelse is not None or not asks_in_loop(loop, uses, file):
        return None
    asking = [each for each in uses.asked if loop in file.source.above(each)]
    others = _Others(asking)
    others.visit(loop.test)
    return None if others.found else loop


def _asks_no_more(file: ControlFile, statement: Any, uses: CoordinatorUses) -> bool:
    """Returns whether the rest of a block neither asks the coordinator nor goes elsewhere."""
    for each in following(statement, file.source):
        if isinstance(each, (cst.Continue, cst.BaseCompoundStatement)):
            return False
        if any(each in file.source.above(call) for call in uses.asked):
            return False
    return True


def _add_break(file: ControlFile, statement: Any, changes: Changes) -> None:
    """Puts `break` at the end of the block of a request; the request itself goes."""
    rest = [each for each in following(statement, file.source) if not changes.is_removed(each)]
    if not rest:
        changes.keep(statement)
        changes.change(statement, lambda node: cst.Break(semicolon=node.semicolon))
        return
    owner = file.source.parents[file.source.block(statement)]
    changes.change(owner, lambda node: node.with_changes(body=_with(node.body, cst.Break())))


def _with(body: Any, statement: cst.BaseSmallStatement) -> Any:
    """Returns a block with one more statement."""
    if isinstance(body, cst.SimpleStatementSuite):
        return body.with_changes(body=list(body.body) + [statement])
    return body.with_changes(body=list(body.body) + [cst.SimpleStatementLine([statement])])


# Errors that are reported


def _raises_as_before(file: ControlFile, call: cst.Call, uses: CoordinatorUses, changes: Changes) -> bool:
    """Makes the handler of a reported error raise it, where `join` does; returns False if the coordinator must stay."""
    source = file.source
    statement = source.statement(call)
    handler = source.parents[source.block(statement)]
    if not isinstance(handler, cst.ExceptHandler) or not _is_error(file, call, handler):
        return False
    if only_end_of_data(handler, source):
        _drop_name(file, handler, changes, [call])
        return True
    if not uses.is_joined_after(handler, source, changes.is_removed):
        return False
    error = end_of_data_name(file, uses)
    if error is None:
        return False
    handlers = list(source.parents[handler].handlers)
    earlier = [each for each in handlers[: handlers.index(handler)] if only_end_of_data(each, source)]
    types = caught(handler, source)
    is_every = not types or any(each in ("Exception", "BaseException") or is_end_of_data(each) for each in types)
    rest = [each for each in _statements(handler) if not changes.is_removed(each)]
    ends = [each for each in rest if isinstance(each, (cst.Return, cst.Raise, cst.Break, cst.Continue))]
    if ends or changes.is_changed(statement):
        return False
    if not rest:
        if earlier or not is_every:
            changes.remove_handler(handler)
        else:
            _catch_end_of_data(handler, error, changes)
        return True
    _raise_at_end(file, handler, changes, None if earlier or not is_every else error)
    return True


def _statements(handler: cst.ExceptHandler) -> List[Any]:
    found: List[Any] = []
    body: Any = handler.body
    for line in body.body:
        found += line.body if isinstance(line, cst.SimpleStatementLine) else [line]
    return found


def _is_error(file: ControlFile, call: cst.Call, handler: cst.ExceptHandler) -> bool:
    """Returns whether a request reports the error that the handler caught."""
    argument = call.args[0]
    if argument.star or argument.keyword is not None and argument.keyword.value != "ex":
        return False
    value = argument.value
    if isinstance(value, cst.Call):
        return file.source.code(value) in ("sys.exc_info()", "exc_info()")
    return isinstance(value, cst.Name) and handler.name is not None and value.value == _name(handler)


def _name(handler: cst.ExceptHandler) -> str:
    name = handler.name.name if handler.name is not None else None
    return name.value if isinstance(name, cst.Name) else ""


def end_of_data_name(file: ControlFile, uses: CoordinatorUses) -> Optional[str]:
    """Returns how the file writes tf.errors.OutOfRangeError, by how it writes tf.train.Coordinator."""
    for assignment in uses.created:
        if isinstance(assignment.value, cst.Call):
            written = file.source.code(assignment.value.func)
            if written.endswith(".train.Coordinator"):
                return written[: -len("train.Coordinator")] + "errors.OutOfRangeError"
    return None


def _drop_name(file: ControlFile, handler: cst.ExceptHandler, changes: Changes, calls: List[cst.Call]) -> None:
    """Drops `as e` where nothing but the requests uses it."""
    name = _name(handler)
    finder = _Named(name, calls)
    finder.visit(handler.body)
    if name and not finder.found:
        changes.change(handler, _without_name)


def _without_name(handler: cst.ExceptHandler) -> cst.ExceptHandler:
    return handler.with_changes(name=None)


def _catch_end_of_data(handler: cst.ExceptHandler, error: str, changes: Changes) -> None:
    def catch(node: cst.ExceptHandler) -> cst.ExceptHandler:
        return node.with_changes(
            type=cst.parse_expression(error), name=None, whitespace_after_except=cst.SimpleWhitespace(" ")
        )

    changes.change(handler, catch)


def _raise_at_end(file: ControlFile, handler: cst.ExceptHandler, changes: Changes, error: Optional[str]) -> None:
    """Adds `raise` to a handler, for errors other than `error`."""
    name = _name(handler) or "e"
    code = "raise" if error is None else "if not isinstance({}, {}):\n    raise".format(name, error)
    statement = cst.parse_statement(code)

    def add(node: cst.ExceptHandler) -> cst.ExceptHandler:
        if not node.name and error is not None:
            exception = node.type if node.type is not None else cst.Name("Exception")
            node = node.with_changes(
                type=exception, name=cst.AsName(cst.Name(name)), whitespace_after_except=cst.SimpleWhitespace(" ")
            )
        body: Any = node.body
        if isinstance(body, cst.SimpleStatementSuite):
            body = cst.IndentedBlock([cst.SimpleStatementLine(body.body)])
        return node.with_changes(body=body.with_changes(body=list(body.body) + [statement]))

    changes.change(handler, add)


class _Others(Visitor):
    """Finds calls other than those given."""

    def __init__(self, calls: List[cst.Call]) -> None:
        super().__init__()
        self.calls = calls
        self.found = False

    def visit_Call(self, node: cst.Call) -> bool:
        self.found = self.found or node not in self.calls
        return False


class _Named(Visitor):
    """Finds a name outside of the calls given."""

    def __init__(self, name: str, calls: List[cst.Call]) -> None:
        super().__init__()
        self.name, self.calls = name, calls
        self.found = False

    def visit_Call(self, node: cst.Call) -> bool:
        return node not in self.calls

    def visit_Name(self, node: cst.Name) -> None:
        self.found = self.found or node.value == self.name
