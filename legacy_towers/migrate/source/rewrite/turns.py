"""Examples that are computed with the number of a thread: each thread of a join had one, and they get these in turn.

    for thread_id in range(4):                           def parse(thread_id, record):
        image = distort(decode(record), thread_id)           image = distort(decode(record), thread_id)
        images.append([image])                               return image
    batch_join(images, 8)
                                                         def parse_in_turn(number, record):
                                                             return tf.switch_case(number % 4, ... of parse ...)

                                                         dataset.enumerate().map(parse_in_turn)
"""
from typing import Any, List, NamedTuple

import libcst as cst

from legacy_towers.migrate.source.rewrite.examples import Roots
from legacy_towers.migrate.source.rewrite.scope import Scope
from legacy_towers.migrate.source.rewrite.syntax import Source

_COMMENT = "# Examples get the numbers that threads had, in turn: one of the functions runs."
_BODY = """{turn} = {tf}.cast({number} % {divisor}, {tf}.int32)
return {tf}.switch_case({turn}, [
    lambda {counter}={counter}: {name}({counter}, {star}{record}) for {counter} in range({count})
])"""
_SUMMARIES = "for {counter} in range({count}):\n    {name}({counter}, {star}{example})"


class Turns(NamedTuple):
    """Numbers that examples are computed with, one after the other.

    Attributes:
      tf: what TensorFlow is called there.
      counter: the name of the number in the statements that compute an example.
      total: the expression of how many numbers there are.
    """

    tf: str
    counter: str
    total: str

    def parameters(self, roots: Roots) -> str:
        """Returns the parameters of the function that computes an example from `roots`."""
        return "{}, {}".format(self.counter, roots.parameters())

    def function(self, name: str, called: str, roots: Roots, scope: Scope, source: Source) -> Any:
        """Returns the function of (number of an example, example) that calls the one of its turn.

        Args:
          name: what it is called.
          called: the function of a turn and an example.
          roots: what an example is.
          scope: where it stands.
          source: the file.
        """
        record = scope.fresh("record", "element") if roots.star() else roots.parameters()
        number = scope.fresh("number", "number_of_example")
        is_name = self.total.replace("_", "").replace(".", "").isalnum()
        body = source.parse(_BODY.format(
            tf=self.tf, turn=scope.fresh("turn", "number_of_thread"), number=number, name=called, star=roots.star(),
            record=record, counter=self.counter, count=self.total,
            divisor=self.total if is_name else "({})".format(self.total),
        ))
        body[0] = body[0].with_changes(leading_lines=[cst.EmptyLine(comment=cst.Comment(_COMMENT))])
        function = source.parse("def {}({}, {}):\n    pass".format(name, number, record))[0]
        return function.with_changes(body=cst.IndentedBlock(body))

    def summary_lines(self, name: str, roots: Roots, example: str) -> List[str]:
        """Returns the statement that calls the function for the summaries of each number.

        Args:
          name: the function of a number and an example.
          roots: what an example is.
          example: the expression of one that is read for summaries.
        """
        return [_SUMMARIES.format(
            counter=self.counter, count=self.total, name=name, star=roots.star(), example=example)]
