"""lambda (a, b), c: a + b + c  ->  lambda a_b, c: a_b[0] + a_b[1] + c

lib2to3's own rule translates a lambda only if the tuple is its single parameter.
"""
from typing import Any

from fissix import fixer_base, pytree
from fissix.fixer_util import Name, syms
from fissix.fixes.fix_tuple_params import find_params, map_to_index, tuple_name
from fissix.pgen2 import token


class FixMixedLambda(fixer_base.BaseFix):
    """The rule; fissix requires this class name and these attributes."""

    BM_compatible = True
    PATTERN = "lambdef< 'lambda' args=varargslist ':' body=any >"

    def transform(self, node: Any, results: Any) -> None:
        elements = {}
        for argument in list(results["args"].children):
            if argument.type != syms.vfpdef:
                continue
            parameters = find_params(argument)
            name = self.new_name(tuple_name(parameters))
            elements.update({old: (name, index) for old, index in map_to_index(parameters).items()})
            argument.replace(Name(name, prefix=argument.prefix))
        for leaf in list(results["body"].post_order()):
            if leaf.type == token.NAME and leaf.value in elements:
                name, index = elements[leaf.value]
                power = pytree.Node(syms.power, [Name(name)] + [part.clone() for part in index])
                power.prefix = leaf.prefix
                leaf.replace(power)
