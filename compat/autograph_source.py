"""What AutoGraph reads as the source of a program's functions."""
import ast
import contextlib
import copy
import importlib
import io
import linecache
import sys
import tokenize
from typing import Any, Callable, Iterator, List, Optional, Sequence, Tuple

from legacy_towers.compat import tf  # noqa: F401  AutoGraph comes with it

# Whose functions AutoGraph calls as they are, as it does with TensorFlow's own and, on TF 1.15, with tf.contrib's.
_AS_THEY_ARE = ("legacy_towers", "tf_slim")


@contextlib.contextmanager
def functions_are_read_by(read: Callable[[Any], Optional[ast.AST]]) -> Iterator[None]:
    """Lets AutoGraph convert what `read` gives for a function, while it lasts.

    AutoGraph reads the file of a function again. Where the program was compiled from something else than its file
    says, an import statement or a word of Python 2 in a converted function would mean what it does in the file.

    Args:
      read: code of a function -> its FunctionDef or Lambda with the lines of the file; None leaves it to AutoGraph.
    """
    # Private: nothing public says where a function's source is, and AutoGraph asks for it by this one name. Tried on
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
    config.CONVERSION_RULES = tuple(config.DoNotConvert(name) for name in _AS_THEY_ARE) + tuple(rules)
    try:
        yield
    finally:
        parser.parse_entity, config.CONVERSION_RULES = parse, rules


def _of_function(function: Any, path: str, parse: Callable[[], Any]) -> Tuple[Any, str]:
    """Returns what parse_entity does: the node, and the source that its lines count in."""
    gast: Any = importlib.import_module("gast")  # TensorFlow brings it

    node = gast.ast_to_gast(_ConstantsOfItsTime().visit(copy.deepcopy(function)))
    try:
        parsed, source = parse()
    except Exception:  # not Python 3, say; what can't be read at all never comes here
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


class _ConstantsOfItsTime(ast.NodeTransformer):
    """Makes of an ast.Constant, which the gast of Python 3.7 does not know, what that Python's parser makes."""

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        if sys.version_info >= (3, 8):
            return node
        made = ast.parse(repr(node.value), mode="eval").body
        for part in ast.walk(made):
            ast.copy_location(part, node)
        return made


def _has(parsed: Any, dumped: str) -> bool:
    """Returns whether `parsed`, which may be a statement around a lambda, has the node whose dump is `dumped`."""
    gast: Any = importlib.import_module("gast")  # TensorFlow brings it

    functions = (gast.FunctionDef, gast.Lambda)
    return any(isinstance(each, functions) and gast.dump(each) == dumped for each in gast.walk(parsed))


def _readable(lines: Sequence[str], count: int) -> str:
    """Returns the lines as one text; as many empty ones where Python 3 has no words for them."""
    text = "".join(lines)
    try:
        for _ in tokenize.generate_tokens(io.StringIO(text).readline):
            pass
    except (tokenize.TokenError, SyntaxError):
        return "\n" * count
    return text if len(lines) == count else text + "\n" * count
