"""The calls that a pipeline must not have to be rewritten, each with the reason and what to do by hand."""
from typing import Optional

import libcst as cst

from legacy_towers.migrate.source.pipelines import Pipeline
from legacy_towers.migrate.source.project import Project
from legacy_towers.migrate.source.rewrite.drafts import Irregular
from legacy_towers.migrate.source.rewrite.functions import Calls
from legacy_towers.migrate.source.rewrite.origins import DEQUEUE, READ, READ_UP_TO
from legacy_towers.migrate.source.rewrite.shapes import batchers, prefetch, producers, queues, readers, slim_readers
from legacy_towers.migrate.source.rules.registry import of_name

_REGULAR = frozenset(
    tuple(producers.PARAMETERS) + tuple(readers.PARAMETERS) + tuple(batchers.PARAMETERS)
    + (READ, READ_UP_TO, DEQUEUE, "tf.match_filenames_once", prefetch.NAME) + queues.NAMES + slim_readers.NAMES
)
_STATE = "it uses the position of its reader, which a dataset does not have: count examples by tf.data or in Python"
_SAMPLES = "it draws examples at random by classes: write it as tf.data.experimental.rejection_resample"
_PYTHON = "it reads Python arrays or functions: write it as Dataset.from_tensor_slices or from_generator"
_SLIM = "slim makes its queues and decoders inside: write it as a dataset of its files and a function that decodes"
_STAGED = "it overlaps copies to a device with computing: write it as Dataset.prefetch, or keep it after the dataset"
_LIMITS = "it limits how often a tensor is computed beside other producers: give them the num_epochs"
# Beginning of a name -> the reason, as a clause, and what to do by hand.
_REASONS = (
    ("tf.QueueBase.size", "the size of its queue is read, and a dataset has none: remove the code that shows or "
     "awaits it"),
    ("tf.QueueBase.is_closed", "it asks whether its queue is closed, and a dataset has no such state: wait for "
     "tf.errors.OutOfRangeError instead"),
    ("tf.QueueBase.enqueue", "it puts examples into a queue by an operation that no rewritten queue runner runs, or "
     "many at a time: read them from a dataset, such as Dataset.from_generator"),
    ("tf.QueueBase.dequeue", "it dequeues several elements from the queue of a producer or reader: write it as "
     "Dataset.batch"),
    ("tf.QueueBase.from_list", "it dequeues from one of several queues by an index: write it as "
     "tf.data.experimental.choose_from_datasets"),
    ("tf.PriorityQueue", "it sorts examples by priority, which no method of Dataset does "
     "(`legacy-towers migrate --explain LT404`)"),
    ("tf.contrib.training.batch_sequences_with_states", "it keeps the states of sequences between batches, which "
     "Dataset can't: keep tf.train.batch_sequences_with_states, or cut sequences before they are batched"),
    ("tf.contrib.training.", _SAMPLES),
    ("tf.contrib.slim.ParallelReader", "its readers fill a queue that the script makes: read by "
     "slim.parallel_read, which makes it, or write it as Dataset.interleave over the files, then shuffle"),
    ("tf.contrib.slim.", _SLIM),
    ("tf.contrib.learn.read_", "tf.contrib.learn makes its queues inside: write it as a dataset of its files"),
    ("tf.contrib.learn.queue_parsed_features", "tf.contrib.learn makes its queues inside: write it as Dataset.map and "
     "batch"),
    ("tf.contrib.learn.", _PYTHON),
    ("tf.estimator.inputs.", _PYTHON),
    ("tf.LMDBReader", "tf.data does not read LMDB: write its records to a TFRecord file"),
    ("tf.ReaderBase.", _STATE),
    ("tf.ReaderBase", "a class of the project is derived from it"),
    ("tf.QueueBase", "a class of the project is derived from it"),
    ("tf.Session.run", "Python code fills its queue by session.run: write it as Dataset.from_generator"),
    ("tf.StagingArea", _STAGED),
    ("tf.MapStagingArea", _STAGED),
    ("tf.contrib.staging.", _STAGED),
)


def check_regular(project: Project, pipeline: Pipeline) -> None:
    """Raises Irregular with the first call of a pipeline that no stage can rewrite."""
    others = [each for each in pipeline.sites if each.name in producers.PARAMETERS and each.name != producers.LIMIT]
    limits = [each for each in pipeline.sites if each.name == producers.LIMIT]
    if limits and (len(limits) > 1 or others):
        raise Irregular(limits[0], _LIMITS)
    shared = prefetch.dequeues_of(project, pipeline) + queues.dequeues_of(project, pipeline)
    for site in pipeline.sites:
        is_taken = site.name in queues.TAKES and site.name != DEQUEUE and site not in shared
        if is_taken or site.name not in _REGULAR:
            raise Irregular(site, reason_of(site.name) or "it is not rewritten; by hand it becomes {}".format(
                of_name(site.name).becomes))


def check_only_of_queues(pipeline: Pipeline, calls: Calls) -> None:
    """Raises Irregular if a call of a queue or reader may also be of an object of a class of the project."""
    for site in pipeline.sites:
        if not site.name.startswith(("tf.QueueBase.", "tf.ReaderBase.")):
            continue
        call = calls.call(site)
        for each in calls.functions_of(calls.draft(site.path), call):
            # Not `make_queue` in `make_queue().dequeue()`, which begins at the same place.
            if isinstance(call.func, cst.Attribute) and each.node.name.value == call.func.attr.value:
                raise Irregular(site, "it may also be a call of {!r} of the project, which stays: call the two from "
                                "different functions".format(each.function.name))


def reason_of(name: str) -> Optional[str]:
    """Returns why no stage rewrites a function, class or method, and what to do by hand; None if no table has it."""
    return next((why for start, why in _REASONS if name.startswith(start)), None)
