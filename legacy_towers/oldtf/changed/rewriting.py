"""Puts what `methods` has into the syntax tree of a script.

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

`int`, `float`, `type` and `open` are left alone in a file that gives one of these names a meaning of its own. Lines
keep their numbers. From `store` to `arithmetic`, and `values[i], others[i] = found`, are for files that import numpy,
and where the value can be an array. What `scalars_rewriting` and `quotients_rewriting` change comes after these.
"""
import ast
import sys
from typing import Any, FrozenSet, List, Optional, Set

from legacy_towers.oldtf.changed import generated_messages, quotients_rewriting, scalars_rewriting
from legacy_towers.oldtf.changed.libraries import are_needed

# The names of the tables in `attributes`, os.errno and device: written out, so that a script without numpy needs none
# to be read.
_ATTRIBUTES = frozenset(
    ["tostring", "fromstring", "itemset", "newbyteorder", "ptp", "isAlive", "getchildren", "getiterator", "errno"]
    + ["_outputs", "_inputs", "_control_inputs", "initialized_value", "prefetch", "map", "interleave", "A", "H"]
    + ["predict_classes", "predict_proba", "device", "_keras_shape"]
    + ["ANTIALIAS", "LINEAR", "CUBIC", "get_cmap", "textsize", "getsize", "tostring_rgb"]
)
_METHODS = "legacy_towers.oldtf.changed.methods"
_HELD_AS = "_legacy_towers_methods"
# Values that are no arrays, and what the operator of `values[i] += found` is called.
_NO_ARRAYS = (ast.Constant, ast.Dict, ast.DictComp, ast.JoinedStr, ast.Lambda, ast.ListComp, ast.Set, ast.Compare)
_OPERATIONS = {ast.Add: "iadd", ast.Sub: "isub", ast.Mult: "imul", ast.Div: "itruediv"}
# Where numpy 2 makes another type of an array and a number: the number comes of such a call of numpy's or of an
# array's, and not of one of these modules', or no byte can hold it.
_ARE_NUMBERS = frozenset(
    "abs absolute amax amin exp float64 log log10 log1p log2 max mean median min norm percentile power prod sqrt square"
    " std sum var".split()
)
_NUMPY = ("np", "numpy", "onp")
_NO_NUMPY = ("tf", "tensorflow", "math", "K")
_ARITHMETIC = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv"}


def rewrite(module: ast.Module, numbers: bool = True) -> ast.Module:
    """Returns `module` with its calls sent to `methods`, where this Python needs it.

    Args:
      numbers: whether int() and float() are among them; AutoGraph has its own, of tensors.
    """
    if not are_needed():
        return module
    module = generated_messages.rewrite(module)
    own_names, has_arrays = bound_names(module), sys.version_info >= (3, 9) and _imports("numpy", module)
    # `value` is an attribute of too many things to look at it in every file.
    attributes = _ATTRIBUTES | {"value"} if _imports("h5py", module) else _ATTRIBUTES
    rewriting = _Rewriting(own_names, has_arrays, numbers, attributes)
    rewriting.visit(module)
    if rewriting.changed:
        _add_import(module, ast.Import(names=[ast.alias(name=_METHODS, asname=_HELD_AS)]))
    if has_arrays and numbers and scalars_rewriting.rewrite(module, own_names):
        _add_import(module, scalars_rewriting.import_statement())
    if quotients_rewriting.rewrite(module):
        _add_import(module, quotients_rewriting.import_statement())
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
        if node.attr == "device" and getattr(node.value, "id", None) in _NO_NUMPY:  # tf.device, in every other line
            return node
        return self._call(node, "attribute", node.value, ast.Constant(value=node.attr))

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        for keyword in node.keywords:
            if keyword.arg == "random_state" and _is_numpys_random(keyword.value):
                keyword.value = _placed(_attribute_of(keyword.value, "mtrand", "_rand"), keyword.value)
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
        return _placed(ast.Expr(value=call), node)

    def _unpacked(self, node: ast.Assign, target: ast.Tuple) -> Any:
        """Returns what stands for `values[i], others[i] = found`: names of ours take what is found, and are stored."""
        stores: List[ast.stmt] = []
        for place, each in enumerate(target.elts):
            if self._may_be_array(each, node.value):
                name = "{}_{}".format(_HELD_AS, place)
                taken = ast.Name(id=name, ctx=ast.Load())
                call = self._call(node, "store", taken, each.value, self._key(each.slice))  # type: ignore[attr-defined]
                stores.append(_placed(ast.Expr(value=call), node))
                target.elts[place] = ast.copy_location(ast.Name(id=name, ctx=ast.Store()), each)
        return [node] + stores

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        self.generic_visit(node)
        target: Any = node.target
        if type(node.op) not in _OPERATIONS or not self._may_be_array(target, node.value):
            return node
        operation = ast.Constant(value=_OPERATIONS[type(node.op)])
        call = self._call(node, "change", target.value, self._key(target.slice), operation, node.value)
        return _placed(ast.Expr(value=call), node)

    def _may_be_array(self, target: ast.expr, value: ast.expr) -> bool:
        if not self._has_arrays or not isinstance(target, ast.Subscript):
            return False
        if isinstance(value, _NO_ARRAYS) and (_whole_number(value) or 0) <= 127:  # any integer of numpy's holds these
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
        return _placed(ast.Call(func=self._method(at, name), args=list(arguments), keywords=[]), at)

    def _method(self, at: ast.AST, name: str) -> ast.expr:
        self.changed = True
        return _placed(ast.Attribute(value=ast.Name(id=_HELD_AS, ctx=ast.Load()), attr=name, ctx=ast.Load()), at)


def _placed(node: Any, at: ast.AST) -> Any:
    for part in ast.walk(node):
        if not hasattr(part, "lineno"):
            ast.copy_location(part, at)
    return node


def _may_change_type(left: ast.expr, right: ast.expr) -> bool:
    numbers = [_whole_number(left), _whole_number(right)]
    if isinstance(left, ast.Constant) or isinstance(right, ast.Constant) or numbers != [None, None]:
        return any(number is not None and not 0 <= number <= 255 for number in numbers)
    return any(isinstance(each, ast.Call) and _is_numpys(each.func) for each in (left, right))


def _is_numpys_random(node: ast.expr) -> bool:
    """Returns whether this is np.random, which scikit-learn took for the generator behind it, and takes no more."""
    return isinstance(node, ast.Attribute) and node.attr == "random" and getattr(node.value, "id", "") in _NUMPY


def _attribute_of(value: ast.expr, *names: str) -> ast.expr:
    for name in names:
        value = ast.Attribute(value=value, attr=name, ctx=ast.Load())
    return value


def _is_numpys(function: ast.expr) -> bool:
    if not isinstance(function, ast.Attribute) or function.attr not in _ARE_NUMBERS:
        return False
    return getattr(function.value, "id", None) not in _NO_NUMPY


def _whole_number(node: ast.expr) -> Optional[int]:
    """Returns what 256, -1 or 2**15 stands for, None of anything else."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        number = _whole_number(node.operand)
        return None if number is None else -number
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        base, power = _whole_number(node.left), _whole_number(node.right)
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
    """Returns every name that the file binds anywhere."""
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


def _add_import(module: ast.Module, statement: ast.Import) -> None:
    """Puts the statement below the docstring and what comes from __future__."""
    place = 0
    for index, node in enumerate(module.body):
        is_docstring = index == 0 and isinstance(node, ast.Expr) and isinstance(getattr(node.value, "value", None), str)
        if is_docstring or isinstance(node, ast.ImportFrom) and node.module == "__future__":
            place = index + 1
    statement.lineno, statement.col_offset = 1, 0
    module.body.insert(place, ast.fix_missing_locations(statement))
