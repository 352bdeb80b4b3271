"""Rewrites operations of a script whose behaviour Python, numpy and other libraries changed to calls of `methods`.

    picture.tostring()          methods.attribute(picture, "tostring")()
    int(step)                   methods.number(int, step)
    type(loss)                  methods.type_of(loss)
    "loss %.2f" % loss          methods.formatted("loss %.2f", loss)
    open(path, "rU")            methods.opened(path, "rU")
    values[i, :2] = found       methods.store(found, values, (i, methods.section(None, 2, None)))
    values[i] += found          methods.change(values, i, "iadd", found)
    weights / np.sqrt(n)        methods.arithmetic("truediv", weights, np.sqrt(n))
    depth * 256                 methods.arithmetic("mul", depth, 256)
    f(random_state=np.random)   f(random_state=np.random.mtrand._rand)

`int`, `float`, `type` and `open` are not rewritten in a file that binds one of these names. Line numbers are kept.
`store` to `arithmetic` are used in files that import numpy, where the value may be an array.

`pre_1_0_rewriting` runs before, on every Python; `scalars_rewriting` and `quotients_rewriting` run after.
"""
import ast
import sys
from typing import Any, FrozenSet, List, Optional, Set

from legacy_towers.run.libraries.needed import are_needed
from legacy_towers.run.rewriting import (
    generated_messages,
    import_statements,
    pre_1_0_rewriting,
    quotients_rewriting,
    scalars_rewriting,
)

# The names in the tables of `attributes`, os.errno and device. They are repeated here, since `attributes` imports
# numpy, which need not be installed.
_ATTRIBUTES = frozenset(
    ["tostring", "fromstring", "itemset", "newbyteorder", "ptp", "isAlive", "getchildren", "getiterator", "errno"]
    + ["_outputs", "_inputs", "_control_inputs", "initialized_value", "prefetch", "map", "interleave", "A", "H"]
    + ["predict_classes", "predict_proba", "device", "_keras_shape", "_graph", "_value_index"]
    + ["ANTIALIAS", "LINEAR", "CUBIC", "get_cmap", "textsize", "getsize", "tostring_rgb"]
)
_METHODS = "legacy_towers.run.rewriting.methods"
_METHODS_NAME = "_legacy_towers_methods"
# Expressions whose values are not arrays.
_NOT_ARRAYS = (ast.Constant, ast.Dict, ast.DictComp, ast.JoinedStr, ast.Lambda, ast.ListComp, ast.Set, ast.Compare)
# Operator of `values[i] += found` -> its function in the module operator.
_IN_PLACE = {ast.Add: "iadd", ast.Sub: "isub", ast.Mult: "imul", ast.Div: "itruediv"}
# Arithmetic of an array and a number has another type in numpy 2 if the number does not fit into a byte, or is a numpy
# scalar: the result of one of these functions or methods of numpy, and not of a function of `_NOT_NUMPY`.
_RETURN_SCALARS = frozenset(
    "abs absolute amax amin exp float64 log log10 log1p log2 max mean median min norm percentile power prod sqrt square"
    " std sum var".split()
)
_NUMPY = ("np", "numpy", "onp")
_NOT_NUMPY = ("tf", "tensorflow", "math", "K")
_ARITHMETIC = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv"}


def rewrite(module: ast.Module, numbers: bool = True) -> ast.Module:
    """Returns the rewritten `module`.

    Args:
      module: the syntax tree of a file.
      numbers: whether to rewrite int() and float(); False for AutoGraph, which replaces them by functions of tensors.
    """
    calls_methods = _imports("tensorflow", module) and pre_1_0_rewriting.rewrite(module, _looked_up)
    if not are_needed():
        if calls_methods:
            import_statements.add_import(module, _METHODS, _METHODS_NAME)
        return module
    module = generated_messages.rewrite(module)
    own_names, has_arrays = bound_names(module), sys.version_info >= (3, 9) and _imports("numpy", module)
    # `value` is too common an attribute to rewrite it in every file.
    attributes = _ATTRIBUTES | {"value"} if _imports("h5py", module) else _ATTRIBUTES
    rewriting = _Rewriting(own_names, has_arrays, numbers, attributes)
    rewriting.visit(module)
    if rewriting.changed or calls_methods:
        import_statements.add_import(module, _METHODS, _METHODS_NAME)
    if has_arrays and numbers and scalars_rewriting.rewrite(module, own_names):
        import_statements.add_import(module, scalars_rewriting.SCALARS, scalars_rewriting.SCALARS_NAME)
    if quotients_rewriting.rewrite(module):
        import_statements.add_import(module, quotients_rewriting.QUOTIENTS, quotients_rewriting.QUOTIENTS_NAME)
    return module


class _Rewriting(ast.NodeTransformer):
    def __init__(self, own_names: Set[str], has_arrays: bool, numbers: bool, attributes: FrozenSet[str]) -> None:
        self._own_names = own_names
        self._has_arrays = has_arrays
        self._numbers = numbers
        self._attributes = attributes
        self.changed = False

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        if node.attr not in self._attributes or not isinstance(node.ctx, ast.Load):
            return node
        if node.attr == "device" and getattr(node.value, "id", None) in _NOT_NUMPY:  # tf.device, which is frequent
            return node
        return self._call(node, "attribute", node.value, ast.Constant(value=node.attr))

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        for keyword in node.keywords:
            if keyword.arg == "random_state" and _is_np_random(keyword.value):
                keyword.value = _with_position(_attribute_of(keyword.value, "mtrand", "_rand"), keyword.value)
        if not isinstance(node.func, ast.Name) or node.func.id in self._own_names:
            return node
        name = node.func.id
        starred = any(isinstance(each, ast.Starred) for each in node.args)
        if self._numbers and name in ("int", "float") and len(node.args) == 1 and not node.keywords and not starred:
            return self._call(node, "number", node.func, node.args[0])
        if name == "type" and len(node.args) == 1 and not node.keywords and not starred:
            return self._call(node, "type_of", node.args[0])
        if name == "open" and _asks_for_universal_lines(node):
            node.func = ast.copy_location(self._method(node, "opened"), node.func)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.op, ast.Mod) and isinstance(getattr(node.left, "value", None), str):
            return self._call(node, "formatted", node.left, node.right)
        if self._has_arrays and type(node.op) in _ARITHMETIC and _may_change_type(node.left, node.right):
            return self._call(node, "arithmetic", ast.Constant(value=_ARITHMETIC[type(node.op)]), node.left, node.right)
        return node

    def visit_Assign(self, node: ast.Assign) -> Any:
        self.generic_visit(node)
        target = node.targets[0]
        if len(node.targets) == 1 and isinstance(target, ast.Tuple):
            return self._unpacked(node, target)
        if len(node.targets) > 1 or not self._may_be_array(target, node.value):
            return node
        call = self._call(node, "store", node.value, target.value, self._key(target.slice))  # type: ignore[attr-defined]
        return _with_position(ast.Expr(value=call), node)

    def _unpacked(self, node: ast.Assign, target: ast.Tuple) -> Any:
        """Rewrites `values[i], others[i] = found`: assigns to temporary names, then stores their values."""
        stores: List[ast.stmt] = []
        for position, each in enumerate(target.elts):
            if self._may_be_array(each, node.value):
                name = "{}_{}".format(_METHODS_NAME, position)
                value = ast.Name(id=name, ctx=ast.Load())
                call = self._call(node, "store", value, each.value, self._key(each.slice))  # type: ignore[attr-defined]
                stores.append(_with_position(ast.Expr(value=call), node))
                target.elts[position] = ast.copy_location(ast.Name(id=name, ctx=ast.Store()), each)
        return [node] + stores

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        self.generic_visit(node)
        target: Any = node.target
        if type(node.op) not in _IN_PLACE or not self._may_be_array(target, node.value):
            return node
        operation = ast.Constant(value=_IN_PLACE[type(node.op)])
        call = self._call(node, "change", target.value, self._key(target.slice), operation, node.value)
        return _with_position(ast.Expr(value=call), node)

    def _may_be_array(self, target: ast.expr, value: ast.expr) -> bool:
        if not self._has_arrays or not isinstance(target, ast.Subscript):
            return False
        if isinstance(value, _NOT_ARRAYS) and (_integer(value) or 0) <= 127:  # fits into every integer type of numpy
            return False
        return not isinstance(getattr(target.slice, "value", None), (str, bytes))

    def _key(self, key: Any) -> Any:
        if isinstance(key, ast.Tuple):
            return ast.copy_location(ast.Tuple(elts=[self._key(each) for each in key.elts], ctx=ast.Load()), key)
        if not isinstance(key, ast.Slice):
            return key
        parts = [each or ast.Constant(value=None) for each in (key.lower, key.upper, key.step)]
        return self._call(key, "section", *parts)

    def _call(self, at: ast.AST, name: str, *arguments: ast.expr) -> ast.expr:
        self.changed = True
        return _called(at, name, *arguments)

    def _method(self, at: ast.AST, name: str) -> ast.expr:
        self.changed = True
        return _method(at, name)


def _called(at: ast.AST, name: str, *arguments: ast.expr) -> Any:
    return _with_position(ast.Call(func=_method(at, name), args=list(arguments), keywords=[]), at)


def _method(at: ast.AST, name: str) -> Any:
    methods = ast.Name(id=_METHODS_NAME, ctx=ast.Load())
    return _with_position(ast.Attribute(value=methods, attr=name, ctx=ast.Load()), at)


def _looked_up(node: ast.Attribute) -> Any:
    """Returns the call of `methods.attribute` that replaces `value.name`."""
    return _called(node, "attribute", node.value, _with_position(ast.Constant(value=node.attr), node))


def _with_position(node: Any, at: ast.AST) -> Any:
    for part in ast.walk(node):
        if not hasattr(part, "lineno"):
            ast.copy_location(part, at)
    return node


def _may_change_type(left: ast.expr, right: ast.expr) -> bool:
    numbers = [_integer(left), _integer(right)]
    if isinstance(left, ast.Constant) or isinstance(right, ast.Constant) or numbers != [None, None]:
        return any(number is not None and not 0 <= number <= 255 for number in numbers)
    return any(isinstance(each, ast.Call) and _returns_scalar(each.func) for each in (left, right))


def _is_np_random(node: ast.expr) -> bool:
    """Returns whether `node` is np.random, which scikit-learn no longer accepts as a random_state."""
    return isinstance(node, ast.Attribute) and node.attr == "random" and getattr(node.value, "id", "") in _NUMPY


def _attribute_of(value: ast.expr, *names: str) -> ast.expr:
    for name in names:
        value = ast.Attribute(value=value, attr=name, ctx=ast.Load())
    return value


def _returns_scalar(function: ast.expr) -> bool:
    if not isinstance(function, ast.Attribute) or function.attr not in _RETURN_SCALARS:
        return False
    return getattr(function.value, "id", None) not in _NOT_NUMPY


def _integer(node: ast.expr) -> Optional[int]:
    """Returns the value of an integer literal such as 256, -1 or 2**15, None for other expressions."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        number = _integer(node.operand)
        return None if number is None else -number
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        base, power = _integer(node.left), _integer(node.right)
        if base is None or power is None or abs(base) > 16 or not 0 <= power < 64:
            return None
        return int(base**power)
    value = getattr(node, "value", None) if isinstance(node, ast.Constant) else None
    return value if type(value) is int else None


def _imports(library: str, module: ast.Module) -> bool:
    names = [alias.name for node in ast.walk(module) if isinstance(node, ast.Import) for alias in node.names]
    names += [str(node.module) for node in ast.walk(module) if isinstance(node, ast.ImportFrom)]
    return any(name.split(".")[0] == library for name in names)


def _asks_for_universal_lines(node: ast.Call) -> bool:
    modes = node.args[1:2] + [each.value for each in node.keywords if each.arg == "mode"]
    return any("U" in str(getattr(mode, "value", "")) for mode in modes)


def bound_names(module: ast.AST) -> Set[str]:
    """Returns all names that the file binds in any scope."""
    names: Set[str] = set()
    for node in ast.walk(module):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.alias):
            names.add((node.asname or node.name).split(".")[0])
    return names
