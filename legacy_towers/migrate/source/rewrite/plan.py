"""Plans the rewriting of a project: the new text of its files, or the calls that stay, with the reason."""
from typing import Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

from legacy_towers.migrate.source.pipelines import Pipeline, Pipelines, find_pipelines
from legacy_towers.migrate.source.project import Project, with_sources
from legacy_towers.migrate.source.queue_api import DESCRIPTIONS
from legacy_towers.migrate.source.rewrite import calls_apart
from legacy_towers.migrate.source.rewrite.controls import rewrite_controls
from legacy_towers.migrate.source.rewrite.controls.foreign import ModuleGraph
from legacy_towers.migrate.source.rewrite.drafts import Draft, Drafts, Irregular, Left, Program
from legacy_towers.migrate.source.rewrite.pipeline import PipelineWriter
from legacy_towers.migrate.source.rewrite.queues_apart import REASON, with_queues_apart
from legacy_towers.migrate.source.rewrite.shapes import prefetch
from legacy_towers.migrate.source.rewrite.syntax import Source
from legacy_towers.migrate.source.rewrite.targets import TF1, TF2, line_before, renamed
from legacy_towers.migrate.source.rewrite.unused import remove_unused
from legacy_towers.migrate.source.rewrite.whole_call import write_whole_call
from legacy_towers.migrate.source.values import Site

_GONE = "TensorFlow 2 has no tf.contrib: replace it by hand, or leave out --target and use legacy-towers run"


class Rewriting(NamedTuple):
    """The rewriting of a project.

    Attributes:
      texts: path -> the new text of each file that changes.
      rewritten: the pipelines that are rewritten.
      left: the calls that prevent the rewriting of the others, with the reasons: at least one for each of them.
    """

    texts: Dict[str, str]
    rewritten: List[Pipeline]
    left: List[Left]


def plan_rewrite(project: Project, found: Pipelines, target: str = TF1) -> Rewriting:
    """Returns the rewriting of a project; writes nothing.

    A pipeline that can't be rewritten stays in its file, beside those that can. Where only slim's prefetch_queue
    prevents a rewriting, which takes batches of a function that other programs use too, this queue stays, and the
    dataset fills it.

    Args:
      project: the project.
      found: its pipelines.
      target: "tf.data-1": files have the names of TensorFlow 1, as before; "tf.data-2": those of TensorFlow 2.
    """
    drafts = Drafts(project, target == TF2)
    rewriting = _planned(project, found, target, drafts)
    others = with_queues_apart(project, found, {each.number for each in rewriting.rewritten})
    if others is not None:
        apart = _planned(project, others, target, drafts)
        if len(apart.rewritten) > len(rewriting.rewritten):
            left = [each._replace(reason=REASON) if each.site.name == prefetch.NAME else each for each in apart.left]
            return apart._replace(left=left)
    return _with_calls_apart(project, found, target, rewriting)


def _with_calls_apart(project: Project, found: Pipelines, target: str, rewriting: Rewriting) -> Rewriting:
    """Returns the rewriting of a project whose calls that read are statements of their own, if it is one of more."""
    if all(each.reason != calls_apart.REASON for each in rewriting.left):
        return rewriting
    sources = calls_apart.sources_with_calls_apart(project, rewriting.left)
    if not sources:
        return rewriting
    other = with_sources(project, sources)
    pipelines = find_pipelines(other)
    again = _planned(other, pipelines, target, Drafts(other, target == TF2))
    numbers = {each.number for each in again.rewritten}
    kinds = [
        [(each.number, [(site.path, site.name) for site in each.sites]) for each in one.pipelines]
        for one in (found, pipelines)
    ]
    if kinds[0] != kinds[1] or not numbers > {each.number for each in rewriting.rewritten}:
        return rewriting
    rewritten = [each for each in found.pipelines if each.number in numbers]
    gone = {id(site) for each in rewritten for site in each.sites}
    return Rewriting(again.texts, rewritten, [each for each in rewriting.left if id(each.site) not in gone])


def _planned(project: Project, found: Pipelines, target: str, drafts: Drafts) -> Rewriting:
    rewriting = Rewriting({}, [], [])
    groups = [_Group([pipeline], len(found.pipelines) == 1, drafts) for pipeline in found.pipelines]
    groups = _merged(groups)
    while True:
        for group in groups:
            if not group.is_done:
                group.write(project)
        fewer = _merged(groups)
        if len(fewer) == len(groups):
            break
        groups = fewer
    for group in groups:
        rewriting.left.extend(group.left)
    programs = _programs([group for group in groups if group.written], drafts)
    modules = ModuleGraph(project) if programs else None
    for program in programs:
        left = program.write_controls(project, found, modules)
        texts = program.texts(left) if not left else {}
        if target == TF2 and not left:
            left += program.rename(texts)
        rewriting.left.extend(left + program.unread)
        if not left:
            rewriting.rewritten.extend(program.pipelines)
            rewriting.texts.update(texts)
    rewriting.left.extend(_left_alone(drafts, found, {each.site.path for each in rewriting.left}))
    return rewriting


def _left_alone(drafts: Drafts, found: Pipelines, paths: Set[str]) -> List[Left]:
    """Returns the first call of each file not in `paths` that starts queues of no pipeline, and that can't be read."""
    left: Dict[str, Left] = {}
    for site in found.alone:
        if site.path not in paths and site.path not in left:
            try:
                drafts.draft(site)
            except Irregular as irregular:
                left[site.path] = irregular.left
    return list(left.values())


class _Program:
    """Groups that are started and stopped by the same code.

    Args:
      groups: the groups, which can all be rewritten.
      new: makes drafts of the files.
    """

    def __init__(self, groups: Sequence["_Group"], new: Drafts) -> None:
        self._new = new
        self.pipelines = sorted((each for group in groups for each in group.written), key=lambda each: each.number)
        self.controls = [site for pipeline in self.pipelines for site in pipeline.controls]
        # Calls that start queues in files which can't be rewritten.
        self.unread: List[Left] = []
        self._drafts: Dict[str, Draft] = {}
        for group in groups:
            self._drafts.update({path: group.drafts[path] for path in group.paths if path in group.drafts})

    def write_controls(self, project: Project, found: Pipelines, modules: Optional[ModuleGraph]) -> List[Left]:
        """Takes out what only these queues needed, and returns what prevents it."""
        controls = list({id(site): site for site in self.controls}.values())
        unread: Set[str] = set()
        for site in controls:
            if site.path not in self._drafts and site.path not in unread:
                try:
                    self._drafts[site.path] = self._new.draft(site)
                except Irregular as irregular:
                    # It starts no queues any more, and does no harm.
                    controls = [each for each in controls if each.path != site.path]
                    self.unread.append(irregular.left)
                    unread.add(site.path)
        return rewrite_controls(Program(project, controls, self._drafts, self.pipelines), found, modules)

    def rename(self, texts: Dict[str, str]) -> List[Left]:
        """Gives TensorFlow's API in `texts` the names of TensorFlow 2, and returns what has none."""
        left = []
        for path in sorted(texts):
            rewritten = texts[path]
            texts[path], gone = renamed(Source(path, rewritten.encode("utf-8")))
            if gone is not None:
                name, line = gone
                line = line_before(self._drafts[path].source.module.code, rewritten, line, name)
                left.append(Left(self.pipelines[0].sites[0], _GONE, line, path, name))
        return left

    def texts(self, left: List[Left]) -> Dict[str, str]:
        """Returns the new texts; what can't be written is added to `left`."""
        texts = {}
        for path, draft in self._drafts.items():
            if draft.edits:
                sites = [site for pipeline in self.pipelines for site in pipeline.sites + pipeline.controls]
                try:
                    texts[path] = draft.text(next((site for site in sites if site.path == path), sites[0]))
                except Irregular as irregular:
                    left.append(irregular.left)
        return texts


def _programs(groups: Sequence["_Group"], new: Drafts) -> List[_Program]:
    found: List[List[_Group]] = []
    for group in groups:
        sharing = [each for each in found if any(one.control_paths & group.control_paths for one in each)]
        found = [each for each in found if each not in sharing] + [[one for each in sharing for one in each] + [group]]
    return [_Program(each, new) for each in found]


class _Group:
    """Pipelines that share files.

    Args:
      pipelines: the pipelines.
      is_only: whether the project has one pipeline.
      new: makes drafts of the files.

    Attributes:
      written: those of the pipelines that are rewritten.
      left: what prevents the rewriting of the others.
    """

    def __init__(self, pipelines: List[Pipeline], is_only: bool, new: Drafts) -> None:
        self.is_only = is_only
        self.new = new
        self.pipelines = pipelines
        self.paths: Set[str] = {
            site.path for pipeline in pipelines for site in pipeline.sites if site.name not in DESCRIPTIONS}
        self.control_paths = self.paths | {site.path for pipeline in pipelines for site in pipeline.controls}
        self.drafts: Dict[str, Draft] = {}
        self.written: List[Pipeline] = []
        self.left: List[Left] = []
        self.is_done = False

    def write(self, project: Project) -> None:
        """Edits drafts of the files, and finds what is left."""
        self.written, self.left = list(self.pipelines), []
        is_whole = False
        while self.written and not is_whole:
            # What was edited for a pipeline that can't be rewritten goes with the drafts.
            self.drafts = {}
            before = len(self.left)
            self._write(project)
            is_whole = len(self.left) == before
        if self.written:
            self.paths |= {path for path, each in self.drafts.items() if each.edits}
            self.control_paths |= self.paths
        self.is_done = True

    def _write(self, project: Project) -> None:
        """Edits drafts of the files for the pipelines that are written, and keeps those of them that can be."""
        is_only = self.is_only and len(self.written) == len(self.pipelines)

        def draft(path: str, site: Site) -> Draft:
            if path not in self.drafts:
                self.drafts[path] = self.new.draft(site, path)
            return self.drafts[path]

        for pipeline in list(self.written):
            try:
                is_done = remove_unused(pipeline, draft) or write_whole_call(project, pipeline, draft, is_only)
                if not is_done:
                    PipelineWriter(project, pipeline, draft, is_only).write()
            except Irregular as irregular:
                self.left.append(irregular.left)
                self.written.remove(pipeline)


def _merged(groups: List[_Group]) -> List[_Group]:
    """Returns the groups, with those that share a file made one, which is to be written again."""
    found: List[_Group] = []
    for group in groups:
        sharing = [each for each in found if each.paths & group.paths]
        if sharing:
            pipelines: List[Tuple[int, Pipeline]] = [
                (pipeline.number, pipeline) for each in sharing + [group] for pipeline in each.pipelines
            ]
            paths = group.paths.union(*(each.paths for each in sharing))
            in_order = [pipeline for _, pipeline in sorted(pipelines, key=lambda pair: pair[0])]
            group = _Group(in_order, False, group.new)
            group.paths |= paths
            found = [each for each in found if each not in sharing]
        found.append(group)
    return found
