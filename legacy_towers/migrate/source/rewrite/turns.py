"""Examples that are computed with the number of a thread: each thread of a join had one, and they get these in turn.

    for thread_id in range(4):                           def parse(thread_id, record):
        image = distort(decode(record), thread_id)           image = distort(decode(record), thread_id)
        images.append([image])                               return image
    batch_join(images, 8)                                dataset.enumerate().map(... switch_case of parse ...)
"""
from typing import List, NamedTuple

from legacy_towers.migrate.source.rewrite.examples import Roots
from legacy_towers.migrate.source.rewrite.scope import Scope

# Only the function of one number runs.
_MAP = """# Examples get the numbers that threads had, in turn.
{dataset} = {dataset}.enumerate().map(lambda {number}, {record}: {tf}.switch_case(
    {tf}.cast({number} % {divisor}, {tf}.int32),
    [lambda {counter}={counter}: {name}({counter}, {star}{record}) for {counter} in range({count})]){parallel})"""
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

    def map_lines(self, dataset: str, name: str, roots: Roots, parallel: str, scope: Scope) -> List[str]:
        """Returns the statement that maps a dataset.

        Args:
          dataset: the name of its variable.
          name: the function of a number and an example.
          roots: what an example is.
          parallel: the argument for the number of threads, with a comma before it; "" for one thread.
          scope: where the statement stands.
        """
        is_name = self.total.replace("_", "").replace(".", "").isalnum()
        return [_MAP.format(
            dataset=dataset, tf=self.tf, name=name, counter=self.counter, count=self.total,
            divisor=self.total if is_name else "({})".format(self.total), star=roots.star(),
            number=scope.fresh("number", "number_of_thread"), record=scope.fresh("record", "element"),
            parallel=",\n    " + parallel[2:] if parallel else "",
        )]

    def summary_lines(self, name: str, roots: Roots, example: str) -> List[str]:
        """Returns the statement that calls the function for the summaries of each number.

        Args:
          name: the function of a number and an example.
          roots: what an example is.
          example: the expression of one that is read for summaries.
        """
        return [_SUMMARIES.format(
            counter=self.counter, count=self.total, name=name, star=roots.star(), example=example)]
