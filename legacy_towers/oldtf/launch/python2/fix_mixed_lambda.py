"""lambda (a, b), c: a + b + c  ->  lambda a_b, c: a_b[0] + a_b[1] + c

lib2to3's own rule knows a lambda with a tuple alone.
"""
from typing import Any

from fissix import fixer_base, pytree
from fissix.fixer_util import Name, syms
from fissix.fixes.fix_tuple_params import find_params, map_to_index, tuple_name
from fissix.pgen2 import token


class FixMixedLambda(fixer_base.BaseFix):
    """The rule, in the form and under the name that fissix looks for."""

    BM_compatible = True
    PATTERN = "lambdef< 'lambda' args=varargslist ':' body=any >"

    def transform(self, node: Any, results: Any) -> None:
        places = {}
        for argument in list(results["args"].children):
            if argument.type != syms.vfpdef:
                continue
            parameters = find_params(argument)
            name = self.new_name(tuple_name(parameters))
            places.update({old: (name, below) for old, below in map_to_index(parameters).items()})
            argument.replace(Name(name, prefix=argument.prefix))
        for leaf in list(results["body"].post_order()):
            if leaf.type == token.NAME and leaf.value in places:
                name, below = places[leaf.value]
                power = pytree.Node(syms.power, [Name(name)] + [part.clone() for part in below])
                power.prefix = leaf.prefix
                leaf.replace(power)
