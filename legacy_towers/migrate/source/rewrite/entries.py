"""Where a function or module gets examples."""
from typing import Any, NamedTuple, Optional, Tuple

import libcst as cst

from legacy_towers.migrate.source.rewrite.drafts import Draft
from legacy_towers.migrate.source.rewrite.examples import Roots


class Entry(NamedTuple):
    """Where a function or module gets examples.

    Attributes:
      draft: the file.
      function: the function, None for the top level.
      statement: the statement that gets them; None: they are parameters.
      roots: the names of what an example is, and whether one name stands for all.
      is_computing: whether the statement computes with the example, and is part of the function of Dataset.map.
      dataset: the name of the dataset.
      computing: other statements that compute with the example, where several readers give its parts.
      branch: the statements that use them, in order, where these are only a branch of an `if`.
      makers: the statements of another method that keep them in attributes of the object.
      shared: those of them before the `if`, which each branch has in its own function of Dataset.map.
      others: statements that do not run where the branch does.
    """

    draft: Draft
    function: Optional[cst.FunctionDef]
    statement: Any
    roots: Roots
    is_computing: bool
    dataset: str
    computing: Tuple[Any, ...] = ()
    branch: Tuple[Any, ...] = ()
    shared: Tuple[Any, ...] = ()
    makers: Tuple[Any, ...] = ()
    others: Tuple[Any, ...] = ()

    def is_shared(self, statement: Any) -> bool:
        """Returns whether other branches of an `if` have a statement too, which may be removed for one of them."""
        return any(statement is each for each in self.shared)
