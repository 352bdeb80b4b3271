"""The stages that read a pipeline's examples: a producer with a reader, slim's providers, or a queue of records."""
from typing import List, Tuple

from legacy_towers.migrate.source.pipelines import Pipeline
from legacy_towers.migrate.source.project import Project
from legacy_towers.migrate.source.rewrite.chosen_functions import chosen_stages
from legacy_towers.migrate.source.rewrite.functions import Calls
from legacy_towers.migrate.source.rewrite.joins import Joins
from legacy_towers.migrate.source.rewrite.origins import origins_of
from legacy_towers.migrate.source.rewrite.record_queue import record_queue_of
from legacy_towers.migrate.source.rewrite.shapes import slim_readers
from legacy_towers.migrate.source.rewrite.slim_stage import SlimStage
from legacy_towers.migrate.source.rewrite.source_stage import SourceStage


def stages_of(
    project: Project, pipeline: Pipeline, calls: Calls, joins: Joins
) -> Tuple[List[SourceStage], Pipeline]:
    """Returns the stages that read, and the pipeline without the calls of a queue of records, which one of them has."""
    queue = record_queue_of(project, pipeline, calls, joins)
    if queue is not None:
        rest = [each for each in pipeline.sites if each not in queue.queue_sites]
        return [queue], pipeline._replace(sites=rest)
    chosen = chosen_stages(project, pipeline, calls, joins)
    if chosen is not None:
        return list(chosen), pipeline
    return [
        (SlimStage if each.read.name in slim_readers.PARAMETERS else SourceStage)(project, pipeline, calls, each, joins)
        for each in origins_of(project, pipeline, calls)
    ], pipeline
