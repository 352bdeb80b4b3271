"""Pipelines that one call is: limit_epochs of constants, and tf.contrib.learn's functions that read and parse batches.

    x = tf.train.limit_epochs(points, num_epochs=1)       dataset = Dataset.from_tensors(points).repeat(1)
    batch = learn.read_batch_features(pattern, ...)       dataset = make_batched_features_dataset(pattern, ...)
"""
from typing import Callable, Dict, Tuple

import libcst as cst

from legacy_towers.migrate.source.pipelines import Pipeline
from legacy_towers.migrate.source.project import Project
from legacy_towers.migrate.source.rewrite import batch_examples
from legacy_towers.migrate.source.rewrite.checks import Checks
from legacy_towers.migrate.source.rewrite.constants import why_not_constant
from legacy_towers.migrate.source.rewrite.drafts import Draft, Irregular
from legacy_towers.migrate.source.rewrite.functions import Calls
from legacy_towers.migrate.source.rewrite.keywords import known, passed
from legacy_towers.migrate.source.rewrite.names import dotted, names_of
from legacy_towers.migrate.source.rewrite.scope import Scope, literal
from legacy_towers.migrate.source.rewrite.shapes.producers import Given
from legacy_towers.migrate.source.values import Site

_LIMIT = "tf.train.limit_epochs"
_FEATURES = "tf.contrib.learn.read_batch_features"
_RECORD_FEATURES = "tf.contrib.learn.read_batch_record_features"
_PARAMETERS: Dict[str, Tuple[str, ...]] = {
    _LIMIT: ("tensor", "num_epochs", "name"),
    _FEATURES: ("file_pattern", "batch_size", "features", "reader", "randomize_input", "num_epochs", "queue_capacity",
                "feature_queue_capacity", "reader_num_threads", "num_enqueue_threads", "parse_fn", "name"),
    batch_examples.NAME: batch_examples.PARAMETERS,
    _RECORD_FEATURES: ("file_pattern", "batch_size", "features", "randomize_input", "num_epochs", "queue_capacity",
                       "reader_num_threads", "name"),
}
# Parameter -> that of make_batched_features_dataset, whose others have the same defaults.
_SAME = {
    "num_epochs": "num_epochs", "randomize_input": "shuffle", "queue_capacity": "shuffle_buffer_size",
    "reader_num_threads": "reader_num_threads",
}
# Expressions around a call that may not compute it, or several times.
_EXPRESSIONS = (
    cst.Lambda, cst.IfExp, cst.BooleanOperation, cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp,
)
# Longer arguments are on two lines.
_LONGEST = 110


def write_whole_call(
    project: Project, pipeline: Pipeline, draft: Callable[[str, Site], Draft], is_only: bool
) -> bool:
    """Rewrites a pipeline that is one call; returns whether it is one.

    Raises:
      Irregular: it can't be rewritten.
    """
    if len(pipeline.sites) != 1 or pipeline.sites[0].name not in _PARAMETERS:
        return False
    site = pipeline.sites[0]
    calls = Calls(project, pipeline, draft, is_only)
    call = calls.call(site)
    there = calls.draft(site.path)
    source = there.source
    scope = Scope(source, source.function(call))
    statement = source.statement(call)
    given = known(site, passed(call, _PARAMETERS[site.name], scope))
    if site.name == _LIMIT and literal(given.get("num_epochs", cst.Name("None"))) == "None":
        raise Irregular(site, "it has no num_epochs, and gives the tensor itself")
    _check_captured(project, site, scope, given)
    is_within = any(isinstance(each, _EXPRESSIONS) for each in source.between(call, statement))
    tf = calls.tensorflow(scope, site)
    if site.name == batch_examples.NAME:
        if is_within or not isinstance(statement, (cst.Assign, cst.Return)):
            raise Irregular(site, "its result is used in an expression")
        checks = Checks(project.knowledge, source)
        dataset = calls.dataset_name(scope)
        lines = batch_examples.lines_of(site, scope, given, checks, tf, dataset)
        there.edits.insert_before(statement, lambda: source.parse("\n".join(lines)))
        there.edits.replace(call, calls.next_element(dataset, tf))
        return True
    made = _dataset(site, scope, given, tf)
    if is_within or not isinstance(statement, (cst.Assign, cst.Return, cst.Expr)):
        # There is no place for a statement before it.
        made = made.replace("(\n    ", "(").replace("\n    ", " ")
        there.edits.replace(call, calls.next_element(made, tf))
        return True
    dataset = calls.dataset_name(scope)
    there.edits.insert_before(statement, lambda: source.parse("{} = {}".format(dataset, made)))
    there.edits.replace(call, calls.next_element(dataset, tf))
    return True


def _dataset(site: Site, scope: Scope, given: Given, tf: str) -> str:
    if site.name == _LIMIT:
        return "{}.data.Dataset.from_tensors({}).repeat({})".format(
            tf, scope.code(given["tensor"]), scope.code(given["num_epochs"]))
    for name in ("file_pattern", "batch_size", "features"):
        if name not in given:
            raise Irregular(site, "its {} is not in its call".format(name))
    if literal(given.get("parse_fn", cst.Name("None"))) != "None":
        raise Irregular(site, "its parse_fn computes each example before it is parsed: write that as Dataset.map")
    reader = given.get("reader")
    if site.name == _FEATURES and (reader is None or dotted(reader).rpartition(".")[2] != "TFRecordReader"):
        raise Irregular(site, "its reader is not tf.TFRecordReader: write it as a dataset of its files")
    examples = ", ".join(scope.code(given[name]) for name in ("file_pattern", "batch_size", "features"))
    options = ", ".join("{}={}".format(new, scope.code(given[old])) for old, new in _SAME.items() if old in given)
    between = ", " if len(examples) + len(options) < _LONGEST else ",\n    "
    return "{}.data.experimental.make_batched_features_dataset(\n    {}{})".format(
        tf, examples, between + options if options else "")


def _check_captured(project: Project, site: Site, scope: Scope, given: Given) -> None:
    """Raises Irregular if the dataset would be made from something that changes."""
    checks = Checks(project.knowledge, scope.source)
    used = [each for name, each in given.items() if name not in ("name", "reader", "parse_fn")]
    why = next((why for why in map(checks.problem_of_value, used) if why), None)
    why = why or checks.problem_of_captured(names_of(*used).read, scope, used)
    if why is None and site.name == _LIMIT:
        why = why_not_constant(checks, scope, given["tensor"])
    if why is not None:
        raise Irregular(site, why)
