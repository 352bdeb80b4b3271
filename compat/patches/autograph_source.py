"""The source that AutoGraph reads for a script's functions."""
import ast
import contextlib
import copy
import importlib
import io
import linecache
import sys
import tokenize
from typing import Any, Callable, Iterator, List, Optional, Sequence, Tuple

from legacy_towers.compat.versions import tf  # noqa: F401  AutoGraph comes with it

# Packages whose functions AutoGraph does not convert, like those of TensorFlow and, on TF 1.15, of tf.contrib.
_NOT_CONVERTED = ("legacy_towers", "tf_slim")


@contextlib.contextmanager
def function_source(read: Callable[[Any], Optional[ast.AST]]) -> Iterator[None]:
    """Makes AutoGraph convert the source that `read` returns for a function.

    AutoGraph by itself reads the file of a function again. If the program was compiled from rewritten source, a
    converted function would have the imports and the Python 2 syntax of the file.

    Args:
      read: code object of a function -> its FunctionDef or Lambda, with the line numbers of the file; None to let
        AutoGraph read the file.
    """
    # Private: no public function sets the source of a function. AutoGraph calls parse_entity for all of them. Tried on
    # 1.15, 2.13 and 2.21.
    from tensorflow.python.autograph.core import config
    from tensorflow.python.autograph.pyct import parser

    parse, rules = parser.parse_entity, config.CONVERSION_RULES

    def parse_entity(entity: Any, future_features: Any) -> Any:
        code: Any = getattr(getattr(entity, "__func__", entity), "__code__", None)
        own = read(code) if code is not None else None
        if own is None:
            return parse(entity, future_features=future_features)
        return _of_function(own, code.co_filename, lambda: parse(entity, future_features=future_features))

    parser.parse_entity = parse_entity
    config.CONVERSION_RULES = tuple(config.DoNotConvert(name) for name in _NOT_CONVERTED) + tuple(rules)
    try:
        yield
    finally:
        parser.parse_entity, config.CONVERSION_RULES = parse, rules


def _of_function(function: Any, path: str, parse: Callable[[], Any]) -> Tuple[Any, str]:
    """Returns what parse_entity returns: the node, and the source text to which its line numbers refer."""
    gast: Any = importlib.import_module("gast")  # a requirement of TensorFlow

    node = gast.ast_to_gast(_ConstantsOfPython37().visit(copy.deepcopy(function)))
    try:
        parsed, source = parse()
    except Exception:  # the file is Python 2, for example
        parsed, source = None, ""
    if parsed is not None and _has(parsed, gast.dump(node)):
        return parsed, source
    numbered: List[Any] = [each for each in gast.walk(node) if getattr(each, "lineno", None) is not None]
    first = min(each.lineno for each in numbered)
    last = max(max(each.lineno, getattr(each, "end_lineno", None) or 0) for each in numbered)
    for each in numbered:
        each.lineno -= first - 1
        if getattr(each, "end_lineno", None) is not None:
            each.end_lineno -= first - 1
    return node, _readable(linecache.getlines(path)[first - 1 : last], last - first + 1)


class _ConstantsOfPython37(ast.NodeTransformer):
    """Replaces ast.Constant, which gast does not support on Python 3.7, with the nodes of that Python's parser."""

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        if sys.version_info >= (3, 8):
            return node
        made = ast.parse(repr(node.value), mode="eval").body
        for part in ast.walk(made):
            ast.copy_location(part, node)
        return made


def _has(parsed: Any, dumped: str) -> bool:
    """Returns whether `parsed`, which may be a statement with a lambda in it, has the node whose dump is `dumped`."""
    gast: Any = importlib.import_module("gast")  # a requirement of TensorFlow

    functions = (gast.FunctionDef, gast.Lambda)
    return any(isinstance(each, functions) and gast.dump(each) == dumped for each in gast.walk(parsed))


def _readable(lines: Sequence[str], count: int) -> str:
    """Returns the lines as one text; `count` empty lines if Python 3 can't tokenize them."""
    text = "".join(lines)
    try:
        for _ in tokenize.generate_tokens(io.StringIO(text).readline):
            pass
    except (tokenize.TokenError, SyntaxError):
        return "\n" * count
    return text if len(lines) == count else text + "\n" * count
