"""What starts, stops and initializes queues goes with them; what else that code did stays.

    starts            start_queue_runners, create_threads, lists of their threads
    coordinators      which coordinators go; uses has what a script does with one
    should_stop       conditions of loops
    request_stop      ends of loops, and errors that are reported
    stop_on_exception
    local_variables   local_variables_initializer
    slim_queues       with slim.queues.QueueRunners(session)
    closes            queue.close()
    foreign           modules that may have queues or local variables of their own
    blocks            the changes of a file: emptied blocks, comments
    flow, variables   the order of statements; where a variable is used

Whatever is not known to mean the same without queues stays, if it does no harm: a Coordinator without threads, a list
without threads, an initializer without local variables. Errors of the threads of queues come at another place then:
`session.run` raises them, where `coord.join` did before.
"""
import ast
from typing import List, Optional, Set

import libcst as cst

from legacy_towers.migrate.source.pipelines import Pipelines, find_pipelines
from legacy_towers.migrate.source.queue_api import BATCHERS, NEEDLES, PRODUCERS
from legacy_towers.migrate.source.rewrite.controls.closes import remove_closes
from legacy_towers.migrate.source.rewrite.controls.coordinators import remove_coordinators
from legacy_towers.migrate.source.rewrite.controls.files import ControlFile
from legacy_towers.migrate.source.rewrite.controls.foreign import Imported, ModuleGraph
from legacy_towers.migrate.source.rewrite.controls.local_variables import (
    may_have_local_variables,
    remove_initializers,
)
from legacy_towers.migrate.source.rewrite.controls.slim_queues import remove_queue_runners
from legacy_towers.migrate.source.rewrite.controls.starts import FUNCTIONS, find_starts, remove_starts
from legacy_towers.migrate.source.rewrite.drafts import Left, Program
from legacy_towers.migrate.source.values import Site

# The functions of tf.train that make queues.
_OF_TRAIN = frozenset(name[len("tf.train.") :] for name in PRODUCERS + BATCHERS if name.startswith("tf.train."))


def rewrite_controls(
    program: Program, found: Optional[Pipelines] = None, modules: Optional[ModuleGraph] = None
) -> List[Left]:
    """Adds to the drafts of a program the edits that take out what only its queues needed.

    Args:
      program: the files, and the calls that start, stop and initialize their queues, all of which are rewritten.
      found: all pipelines of the project, if they are known already.
      modules: what the files of the project import, if it is known already.

    Returns:
      What can neither go nor stay, with the reason.
    """
    left: List[Left] = []
    imported = (modules or ModuleGraph(program.project)).imported(program.drafts)
    others = _controls_of_others(program, found or find_pipelines(program.project))
    may_have_queues = _may_have_queues(program, imported)
    keeps_initializers = may_have_local_variables(program, imported)
    goes = [] if may_have_queues else [site for site in program.controls if site not in others]
    for path, draft in program.drafts.items():
        file = ControlFile(draft, program.project)
        here = [site for site in goes if site.path == path]
        are_only = bool(here) and all(site.path != path for site in others)
        starts = find_starts(file, _starts(file, program, here), are_only)
        left += remove_starts(file, starts)
        remove_queue_runners(file, here)
        remove_coordinators(file, starts)
        if not keeps_initializers:
            remove_initializers(file, here)
        left += remove_closes(file, [site for pipeline in program.pipelines for site in pipeline.sites])
        file.changes.give()
    return left


def _may_have_queues(program: Program, imported: Imported) -> bool:
    """Returns whether a module that is imported may have queues of which nothing is known.

    Either it was not read with the project, or it makes them by another name of TensorFlow, such as `K.tf` of Keras.
    """
    files = program.project.files
    others = [source for path, source in imported.sources.items() if path not in files]
    return bool(imported.unknown) or any(NEEDLES.search(source) for source in others) or any(
        _has_unknown_queue(program, path) for path in imported.sources if path in files)


def _has_unknown_queue(program: Program, path: str) -> bool:
    """Returns whether a file calls `X.train.batch` or the like, where the source does not show that X is TensorFlow."""
    file = program.project.files[path]
    known = program.project.knowledge.api_names
    return any(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _OF_TRAIN
        and isinstance(node.func.value, ast.Attribute) and node.func.value.attr == "train"
        and (path, node.lineno, node.col_offset) not in known
        for node in (ast.walk(file.tree) if file.tree is not None else ())
    )


def _controls_of_others(program: Program, found: Pipelines) -> Set[Site]:
    """Returns the calls that start, stop or initialize queues which are not rewritten too."""
    numbers = {pipeline.number for pipeline in program.pipelines}
    return {
        site for pipeline in found.pipelines if pipeline.number not in numbers
        for site in pipeline.controls
    }


def _starts(file: ControlFile, program: Program, controls: List[Site]) -> Set[cst.Call]:
    """Returns the calls of a file that can only start queues which are rewritten."""
    # The runner of create_threads belongs to a pipeline itself.
    allowed = set(controls).union(*(pipeline.sites for pipeline in program.pipelines))
    return {
        call for name in FUNCTIONS for call in file.calls(name) if all(site in allowed for site in file.sites(call))
    }
