import libcst as cst
import pytest

from legacy_towers.migrate.source.rewrite.visiting import Visitor

CODE = '''\
import a.b as c, d
from ..a import b as c, d
from e import *


@first
@second(1)
class A(B, metaclass=C):
    x: int = 1

    @third
    async def f(self, a: int = 1, *b, c=2, **d) -> int:
        global q
        async for x in y: pass
        async with a as b, c as d:
            return await x

    def g(self):
        nonlocal z
        yield
        return (yield from z)


for a, *b in c:
    break
else:
    del d, e
while a:
    continue
else:
    x += 1
try:
    assert a, "b"
except (E, F) as e:
    raise X from Y
else:
    x = y = z
finally:
    f(*a, b, c=d, e=1.0, **g)
if a: b; c
elif d < e in f is not g: h
else: i
x = [a for a in b if c if d for e in f], {a: b for a in b}, {a for a in b}, (a for a in b)
x = a[1:2:3, ...], lambda a, *b, c=1: d, a if b else c, not a and b or c, -a + b * 1j
x = [*a, b], {**a, b: c}, {d}, f"{a!r:>{w}} {b}" "x", (), print()
'''
# Nodes without code of their own.
PUNCTUATION = (
    cst.AssignEqual, cst.Asynchronous, cst.BaseAugOp, cst.BaseBinaryOp, cst.BaseBooleanOp, cst.BaseCompOp,
    cst.BaseParenthesizableWhitespace, cst.BaseUnaryOp, cst.Colon, cst.Comma, cst.Comment, cst.Dot, cst.EmptyLine,
    cst.LeftCurlyBrace, cst.LeftParen, cst.LeftSquareBracket, cst.Newline, cst.RightCurlyBrace, cst.RightParen,
    cst.RightSquareBracket, cst.Semicolon, cst.TrailingWhitespace,
)


class Every(Visitor):
    def __init__(self):
        super().__init__()
        self.found = []

    def visit(self, node):
        self.found.append(node)
        super().visit(node)


class EveryOfLibcst(cst.CSTVisitor):
    def __init__(self):
        super().__init__()
        self.found = []

    def on_visit(self, node):
        if not isinstance(node, PUNCTUATION):
            self.found.append(node)
        return True


def test_the_nodes_of_code_are_visited_in_the_order_of_libcst():
    module = cst.parse_module(CODE)
    ours, theirs = Every(), EveryOfLibcst()
    ours.visit(module)
    module.visit(theirs)
    assert ours.found == theirs.found
    assert ours.found[0] is module and len(ours.found) > 300


@pytest.mark.parametrize("code, names", [
    pytest.param("f(a, g(b), h(k=c))", ["f"], id="inside-of-calls"),
    pytest.param("f + a[g(b)]", ["f", "a", "g"], id="beside-calls"),
])
def test_what_is_in_a_node_whose_method_returns_false_is_not_visited(code, names):
    found = []

    class Finder(Visitor):
        def visit_Call(self, node):
            found.append(node.func.value)
            return False

        def visit_Name(self, node):
            found.append(node.value)

    Finder().visit(cst.parse_expression(code))
    assert found == names
