"""Where the examples of a pipeline come from: its producers, with the reader and the call that read from each.

    if is_training:                                              one origin: one of both runs, and one name has it
        queue = string_input_producer(train_files)
    else:
        queue = string_input_producer(test_files)
    _, value = reader.read(queue)

    def distorted_inputs(): read(string_input_producer(...))     two origins, which share a function that reads
    def inputs(): read(string_input_producer(...))
"""
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

import libcst as cst

from legacy_towers.migrate.source.pipelines import Pipeline
from legacy_towers.migrate.source.project import Project
from legacy_towers.migrate.source.rewrite.chosen_reader import are_chosen
from legacy_towers.migrate.source.rewrite.drafts import Irregular
from legacy_towers.migrate.source.rewrite.functions import Calls, uses_of
from legacy_towers.migrate.source.rewrite.region import is_transparent, within_binding
from legacy_towers.migrate.source.rewrite.scope import Scope
from legacy_towers.migrate.source.rewrite.shapes import batchers, prefetch, producers, queues, readers, slim_readers
from legacy_towers.migrate.source.rewrite.syntax import LOOPS, Source
from legacy_towers.migrate.source.values import Site

READ, READ_UP_TO, DEQUEUE = "tf.ReaderBase.read", "tf.ReaderBase.read_up_to", "tf.QueueBase.dequeue"
SLICES, LIMIT = "tf.train.slice_input_producer", producers.LIMIT
# Producers whose results are examples.
ELEMENTS = (SLICES, LIMIT)


class Origin(NamedTuple):
    """Where examples come from.

    Attributes:
      producers: the producers: one, or several in branches of one `if`, whose queues are bound to one name.
      reader: the call that makes the reader, None where the elements of the queue are the examples.
      read: the call that reads: of reader.read, of the queue's dequeue, or of the producer.
    """

    producers: List[Site]
    reader: Optional[Site]
    read: Site


def queue_read_by(read: cst.Call, origin: Origin) -> Any:
    """Returns the expression that the read of an origin takes its queue from: reader.read(queue), queue.dequeue()."""
    if origin.reader is not None and read.args:
        return read.args[0].value
    return getattr(read.func, "value", None)


def origins_of(project: Project, pipeline: Pipeline, calls: Calls) -> List[Origin]:
    """Returns the origins of a pipeline's examples.

    Raises:
      Irregular: the source does not show them.
    """
    by_slim = [site for site in pipeline.sites if site.name in slim_readers.PARAMETERS]
    if by_slim:
        return _origins_by_slim(project, pipeline, by_slim)
    shared = prefetch.dequeues_of(project, pipeline) + queues.dequeues_of(project, pipeline)
    found = [site for site in pipeline.sites if site.name in producers.PARAMETERS or site in calls.filled]
    reads = [site for site in pipeline.sites if site.name in (READ, READ_UP_TO, DEQUEUE) and site not in shared]
    if not found:
        raise Irregular(pipeline.sites[0], _why_without_producers(pipeline))
    reads_of = {each: [
        site for site in reads if each in project.sources(site) and not _are_apart(each, site, calls)
    ] for each in found}
    groups = _alternatives(found, reads_of, calls)
    origins = []
    for group in groups:
        own = reads_of[group[0]] if len(groups) > 1 else reads
        if len(own) > 1:
            raise Irregular(own[1], "its examples come from several reads")
        if not own and group[0].name not in ELEMENTS:
            raise Irregular(group[0], "nothing is read from its queue")
        read = own[0] if own else group[0]
        has_reader = bool(own) and read.name != DEQUEUE
        reader = reader_of(project, pipeline, calls, read, len(groups) == 1) if has_reader else None
        origins.append(Origin(group, reader, read))
    if len(origins) > 1:
        many = [each for each in origins if each.read.name == READ_UP_TO]
        if 0 < len(many) < len(origins):
            raise Irregular(many[0].read, "it reads many records at a time, and another reader of its pipeline one")
    return origins


def _origins_by_slim(project: Project, pipeline: Pipeline, found: Sequence[Site]) -> List[Origin]:
    """Returns the origins where slim makes the queues and readers: the calls that give items are further producers."""
    others = [site for site in pipeline.sites if site.name in producers.PARAMETERS or site.name in readers.PARAMETERS]
    if others:
        raise Irregular(others[0], "its examples are read by slim and by a reader of the script")
    items = [site for site in pipeline.sites if site.name in (slim_readers.GET, slim_readers.LIST_ITEMS)]
    return [
        Origin([site] + [each for each in items if len(found) == 1 or site in project.sources(each)], None, site)
        for site in found
    ]


def _why_without_producers(pipeline: Pipeline) -> str:
    for site in pipeline.sites:
        is_filling = site.name.startswith(queues.ENQUEUE) or site.name in (queues.RUNNER, queues.ADD, prefetch.NAME)
        if is_filling or site.name in batchers.PARAMETERS or site.name in readers.PARAMETERS:
            return "the source does not show its producers"
    return "no producer or queue runner that fills it was found in the files"


def reader_of(project: Project, pipeline: Pipeline, calls: Calls, read: Site, is_only: bool) -> Site:
    """Returns the call that makes the reader of a call that reads; `is_only`: no other call of the pipeline reads."""
    found = [site for site in pipeline.sites if site.name in readers.PARAMETERS]
    if not is_only:
        found = [site for site in found if site in project.sources(read) and not _are_apart(site, read, calls)]
    if not found:
        raise Irregular(read if not is_only else pipeline.sites[0], "the source does not show its readers")
    if len(found) > 1 and not are_chosen(calls, found):
        raise Irregular(found[1], "its examples come from several readers")
    return found[0]


def _alternatives(found: Sequence[Site], reads_of: Dict[Site, List[Site]], calls: Calls) -> List[List[Site]]:
    """Returns the producers; those of which one runs, and whose queues have one name and one read, are together."""
    groups: List[List[Site]] = []
    for site in found:
        group = next((
            each for each in groups
            if reads_of[site] == reads_of[each[0]] and all(_exclude(one, site, calls) for one in each)
        ), None)
        if group is not None:
            group.append(site)
        else:
            groups.append([site])
    return groups


def _exclude(one: Site, other: Site, calls: Calls) -> bool:
    if one.path != other.path:
        return False
    source = calls.draft(one.path).source
    first, second = calls.call(one), calls.call(other)
    name = bound_name(source, first)
    is_same = bool(name) and name == bound_name(source, second)
    if one.name == other.name and one.name in ELEMENTS:
        is_same = _bound_code(source, first) == _bound_code(source, second)
    branches = branches_of(source, [first, second]) if is_same else None
    return branches is not None and _is_read_after(source, branches, name, one.name in ELEMENTS)


def _are_apart(one: Site, other: Site, calls: Calls) -> bool:
    """Returns whether two calls of a function are in branches of one `if`, which use the same names."""
    source = calls.draft(one.path).source
    if one is other or one.path != other.path:
        return False
    nodes = [calls.call(one), calls.call(other)]
    return source.function(nodes[0]) is source.function(nodes[1]) and branches_of(source, nodes) is not None


def uses_of_binding(source: Source, body: Any, statement: Any, name: str) -> List[Any]:
    """Returns where code of `body` reads a name while it has the value that an assignment gives it.

    Not before another assignment after it, and not in another branch of an `if`, which gives it a value of its own.
    """
    uses: List[Any] = within_binding(source, body, statement, name, uses_of(source, body, name))
    return [each for each in uses if any(
        isinstance(one, LOOPS) for one in source.between(each, body)
    ) or branches_of(source, [statement, each]) is None]


def dataset_of(calls: Calls, scope: Scope, statement: Any) -> str:
    """Returns a name for the dataset of a producer: that of one in another branch of an `if`, where there is one.

    Args:
      calls: the functions and calls of the pipeline.
      scope: where the dataset is made.
      statement: the statement that makes the queue.
    """
    source = scope.source
    place = (source.path, scope.function)
    if not any(isinstance(each, LOOPS) for each in source.above(statement)):
        for (function, name), made in calls.in_branches.items():
            if function == place and all(branches_of(source, [each, statement]) is not None for each in made):
                made.append(statement)
                return name
    name = calls.dataset_name(scope)
    calls.in_branches[(place, name)] = [statement]
    return name


def _is_read_after(source: Source, branches: cst.If, name: str, is_elements: bool) -> bool:
    """Returns whether code other than the branches of an `if` reads what they bind; True if the name is not known."""
    if not (name and is_elements):
        return True
    function = source.function(branches)
    uses = uses_of(source, function.body if function is not None else source.module, name)
    return any(not any(each is branches for each in source.above(use)) for use in uses)


def bound_name(source: Source, call: cst.Call) -> str:
    """Returns the only name that the result of a call is assigned to, "" if there is none."""
    statement = source.statement(call)
    if not isinstance(statement, cst.Assign) or statement.value is not call or len(statement.targets) != 1:
        return ""
    target = statement.targets[0].target
    return str(target.value) if isinstance(target, cst.Name) else ""


def _bound_code(source: Source, call: cst.Call) -> str:
    """Returns what stands left of the = of a call."""
    statement = source.statement(call)
    is_bound = isinstance(statement, cst.Assign) and statement.value is call and len(statement.targets) == 1
    return source.code(statement.targets[0].target) if is_bound else source.code(call)


def branches_of(source: Source, nodes: Sequence[cst.CSTNode]) -> Optional[cst.If]:
    """Returns the `if`, the first of a chain with `elif`, of which each branch has one of `nodes`, None without it."""
    chains = [_ifs_around(source, each) for each in nodes]
    common = _common(chains)
    if not common:
        return None
    for number, one in enumerate(nodes):
        for place in range(number + 1, len(nodes)):
            inner = _common([chains[number], chains[place]])[0]
            if _branch(source, one, inner) is _branch(source, nodes[place], inner):
                return None
    return outermost(source, common[0])


def _common(chains: Sequence[List[cst.If]]) -> List[cst.If]:
    return [each for each in chains[0] if all(any(each is one for one in chain) for chain in chains)]


def _ifs_around(source: Source, node: cst.CSTNode) -> List[cst.If]:
    """Returns the `if` statements around a node, the innermost first, up to another block."""
    found: List[cst.If] = []
    for each in source.above(node):
        if isinstance(each, cst.If):
            found.append(each)
        elif isinstance(each, cst.BaseCompoundStatement) and not is_transparent(each):
            break
    return found


def _branch(source: Source, node: Any, statement: cst.If) -> Any:
    """Returns the child of an `if` that has a node."""
    chain = [node] + source.above(node)
    return chain[next(number for number, each in enumerate(chain) if each is statement) - 1]


def outermost(source: Source, statement: cst.If) -> cst.If:
    """Returns the `if` that an `elif` belongs to."""
    above = source.parents[statement]
    while isinstance(above, cst.If) and above.orelse is statement:
        statement, above = above, source.parents[above]
    return statement
