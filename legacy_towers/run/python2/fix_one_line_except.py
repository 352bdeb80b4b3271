"""except IOError, (number, text): print text  ->  except IOError as t: (number, text) = t.args; print text

lib2to3's own rule puts no semicolon between the assignment and the statement, which is a syntax error.
"""
from typing import Any

from fissix import fixer_base
from fissix.fixer_util import Assign, Attr, Name, is_list, is_tuple, syms
from fissix.pgen2 import token
from fissix.pytree import Leaf


class FixOneLineExcept(fixer_base.BaseFix):
    """The rule; fissix requires this class name and these attributes."""

    # fissix applies rules without bottom matching first, so its own rule finds nothing to translate.
    BM_compatible = False
    PATTERN = "try_stmt< 'try' any* >"

    def transform(self, node: Any, results: Any) -> None:
        for clause, body in zip(node.children, node.children[2:]):
            if clause.type != syms.except_clause or body.type != syms.simple_stmt or len(clause.children) != 4:
                continue
            _, _, comma, target = clause.children
            if comma.type != token.COMMA or target.type == token.NAME:
                continue
            name = self.new_name()
            comma.replace(Name("as", prefix=" "))
            target.replace(Name(name, prefix=" "))
            is_sequence = is_tuple(target) or is_list(target)
            taken = target.clone()
            taken.prefix = ""
            first = body.children[0]
            assigned = Assign(taken, Attr(Name(name), Name("args")) if is_sequence else Name(name))
            assigned.prefix, first.prefix = first.prefix, " "
            body.insert_child(0, Leaf(token.SEMI, ";"))
            body.insert_child(0, assigned)
