"""What a script does with one coordinator."""
import re
from typing import Any, Callable, List, NamedTuple

import libcst as cst

from legacy_towers.migrate.source.rewrite.controls.flow import is_before, loops_around, runs_directly_after
from legacy_towers.migrate.source.rewrite.syntax import Source

END_OF_DATA = "OutOfRangeError"
_MESSAGE = re.compile(r"print$|(tf\.|tf\.compat\.v1\.)?logg(ing|er)\.(debug|info|warn|warning|error)$|log\.\w+$")


class CoordinatorUses(NamedTuple):
    """The uses of one coordinator, all in the function that makes it.

    Attributes:
      created: the assignments that bind it.
      started: the calls that start queues with it.
      asked: the calls of `should_stop`.
      stopped: the calls of `request_stop`.
      joined: the calls of `join`.
      guards: the statements `with coord.stop_on_exception():`.
    """

    created: List[cst.Assign]
    started: List[cst.Call]
    asked: List[cst.Call]
    stopped: List[cst.Call]
    joined: List[cst.Call]
    guards: List[Any]

    def may_be_asked_after(self, stop: cst.CSTNode, asked: cst.Call, source: Source) -> bool:
        """Returns whether the same coordinator may be asked at `asked` after what is done at `stop`.

        A loop in which the coordinator is made has another one in each pass.
        """
        common = [loop for loop in loops_around(stop, source) if loop in loops_around(asked, source)]
        made = loops_around(self.created[0], source)
        if any(loop not in made for loop in common):
            return True
        return is_before(stop, asked, source)

    def is_joined_after(self, statement: Any, source: Source, is_removed: Callable[[Any], bool]) -> bool:
        """Returns whether `join` runs after a statement or handler, and raises the error that was reported.

        What is printed or logged between the two is left out of a run that fails, if the error is raised at once.
        """
        joins = [source.statement(call) for call in self.joined]
        return runs_directly_after(
            statement, source, lambda each: each in joins,
            lambda each: is_removed(each) or _is_message(each, source), lambda each: not only_end_of_data(each, source),
        )


def _is_message(statement: Any, source: Source) -> bool:
    """Returns whether a statement prints or logs."""
    if not isinstance(statement, cst.Expr) or not isinstance(statement.value, cst.Call):
        return False
    return _MESSAGE.match(source.code(statement.value.func)) is not None


def only_end_of_data(handler: cst.ExceptHandler, source: Source) -> bool:
    """Returns whether a handler catches the end of the data and nothing else."""
    types = caught(handler, source)
    return bool(types) and all(is_end_of_data(each) for each in types)


def caught(handler: cst.ExceptHandler, source: Source) -> List[str]:
    """Returns the types that a handler catches, as they are written; none if it catches all."""
    if handler.type is None:
        return []
    if isinstance(handler.type, cst.Tuple):
        return [source.code(element.value) for element in handler.type.elements]
    return [source.code(handler.type)]


def is_end_of_data(name: str) -> bool:
    """Returns whether the name of an exception is that of TensorFlow's end of data."""
    return name.rpartition(".")[2] == END_OF_DATA
