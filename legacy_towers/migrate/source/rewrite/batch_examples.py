"""tf.contrib.learn.read_batch_examples as a dataset of the lines or records of its files.

    batch = read_batch_examples(                     dataset = tf.data.Dataset.list_files(pattern)
        pattern, 8, tf.TextLineReader,               dataset = dataset.repeat()
        parse_fn=parse)                              dataset = dataset.flat_map(tf.data.TextLineDataset).map(parse)
                                                     dataset = dataset.shuffle(10000).batch(8, drop_remainder=True)
"""
from typing import Any, List

import libcst as cst

from legacy_towers.migrate.source.rewrite.checks import Checks
from legacy_towers.migrate.source.rewrite.drafts import Irregular
from legacy_towers.migrate.source.rewrite.examples import kind_of, returns_of
from legacy_towers.migrate.source.rewrite.names import dotted
from legacy_towers.migrate.source.rewrite.scope import Scope, literal
from legacy_towers.migrate.source.rewrite.shapes.producers import Given
from legacy_towers.migrate.source.rewrite.visiting import Visitor
from legacy_towers.migrate.source.values import Site

NAME = "tf.contrib.learn.read_batch_examples"
PARAMETERS = (
    "file_pattern", "batch_size", "reader", "randomize_input", "num_epochs", "queue_capacity", "num_threads",
    "read_batch_size", "parse_fn", "name", "seed",
)
_DATASETS = {"TFRecordReader": "TFRecordDataset", "TextLineReader": "TextLineDataset"}
_CAPACITY = "10000"
# Functions that return one tensor.
_TENSORS = (
    "cast", "concat", "decode_base64", "decode_raw", "identity", "reshape", "stack", "string_to_number", "to_float",
    "to_int32", "to_int64",
)


def lines_of(site: Site, scope: Scope, given: Given, checks: Checks, tf: str, dataset: str) -> List[str]:
    """Returns the statements that make the dataset of batches.

    Args:
      site: the call.
      scope: where it is.
      given: parameter -> expression.
      checks: checks what is moved into the function of Dataset.map.
      tf: what TensorFlow is called there.
      dataset: the name of the variable.

    Raises:
      Irregular: no dataset is the same, or the source does not show it.
    """
    for name in ("file_pattern", "batch_size", "reader"):
        if name not in given:
            raise Irregular(site, "its {} is not in its call".format(name))
    records = _DATASETS.get(dotted(given["reader"]).rpartition(".")[2])
    if records is None:
        raise Irregular(site, "its reader is neither tf.TFRecordReader nor tf.TextLineReader: write it as a dataset of "
                        "its files")
    if literal(given.get("read_batch_size", cst.Integer("1"))) != "1":
        raise Irregular(site, "its parse_fn may get many records at a time (read_batch_size)")
    shuffles = literal(given.get("randomize_input", cst.Name("True")))
    if shuffles not in ("True", "False"):
        raise Irregular(site, "whether it shuffles (randomize_input) is known only when the script runs")
    seed = ""
    if shuffles == "True" and literal(given.get("seed", cst.Name("None"))) != "None":
        seed = ", seed={}".format(scope.code(given["seed"]))
    pattern = scope.code(given["file_pattern"]) + (seed if shuffles == "True" else ", shuffle=False")
    lines = ["{} = {}.data.Dataset.list_files({})".format(dataset, tf, pattern)]
    epochs = given.get("num_epochs")
    number = scope.code(epochs) if epochs is not None else "None"
    is_endless = number == "None"
    if number != "1":
        lines.append("{0} = {0}.repeat({1})".format(dataset, "" if is_endless else number))
    threads = scope.code(given["num_threads"]) if "num_threads" in given else "1"
    if threads == "1":
        lines.append("{0} = {0}.flat_map({1}.data.{2})".format(dataset, tf, records))
    else:
        lines.append("{0} = {0}.interleave({1}.data.{2}, cycle_length={3})".format(dataset, tf, records, threads))
    parse = given.get("parse_fn")
    if parse is not None and literal(parse) != "None":
        parallel = ", num_parallel_calls={}".format(threads) if threads != "1" else ""
        lines.append("{0} = {0}.map({1}{2})".format(dataset, _parse(site, scope, parse, checks, tf), parallel))
    if shuffles == "True":
        capacity = scope.code(given["queue_capacity"]) if "queue_capacity" in given else _CAPACITY
        if "queue_capacity" in given and _has_float(given["queue_capacity"]):
            capacity = "int({})".format(capacity)
        lines.append("{0} = {0}.shuffle({1}{2})".format(dataset, capacity, seed))
    rest = ""
    if is_endless:
        rest = ", drop_remainder=True"
    elif literal(epochs) is None:
        rest = ", drop_remainder={} is None".format(number)
    lines.append("{0} = {0}.batch({1}{2})".format(dataset, scope.code(given["batch_size"]), rest))
    return lines + (["{0} = {0}.prefetch(1)".format(dataset)] if is_endless else [])


def _parse(site: Site, scope: Scope, parse: Any, checks: Checks, tf: str) -> str:
    """Returns the function of Dataset.map for a parse_fn: what it returns as a list is stacked."""
    if isinstance(parse, cst.Lambda):
        node, values = parse, [parse.body]
    else:
        node = _definition(scope, dotted(parse))
        values = [each.value for each in returns_of(node)] if node is not None else []
    inner = Scope(scope.source, node if isinstance(node, cst.FunctionDef) else scope.function)
    kinds = {_kind(inner.resolved(each)) if each is not None else "" for each in values}
    if len(kinds) != 1 or "" in kinds:
        raise Irregular(site, "the source does not show what its parse_fn returns: write it as Dataset.map")
    problem = checks.problem_inside([node])
    if problem is not None:
        raise Irregular(site, problem[0], problem[1])
    if kinds != {"list"}:
        return scope.code(parse)
    if not isinstance(parse, cst.Lambda):
        return "lambda record: {}.stack({}(record))".format(tf, scope.code(parse))
    stacked = cst.parse_expression("{}.stack({})".format(tf, scope.code(parse.body)))
    return scope.code(parse.with_changes(body=stacked))


def _kind(value: Any) -> str:
    """Returns what an expression is: "list", "dict", "tensor", or "" where that is not known."""
    if isinstance(value, cst.Call) and dotted(value.func).rpartition(".")[2] in _TENSORS:
        return "tensor"
    return kind_of(value) or ""


def _definition(scope: Scope, name: str) -> Any:
    """Returns the only definition of a function that has a name in a file, None if there are none or several."""
    found = [each for each in scope.source.functions if each.name.value == name]
    return found[0] if len(found) == 1 else None


def _has_float(node: Any) -> bool:
    """Returns whether an expression has a number with a point, or a division."""
    found: List[Any] = []

    class _Finder(Visitor):
        def visit_Float(self, node: cst.Float) -> None:
            found.append(node)

        def visit_Divide(self, node: cst.Divide) -> None:
            found.append(node)

    _Finder().visit(node)
    return bool(found)
