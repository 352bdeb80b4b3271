"""slim's DatasetDataProvider, parallel_read and single_pass_read as datasets of records."""
from typing import Dict, List, Tuple

from legacy_towers.migrate.source.rewrite.scope import Scope, literal
from legacy_towers.migrate.source.rewrite.shapes import readers
from legacy_towers.migrate.source.rewrite.shapes.producers import Given

PROVIDER = "tf.contrib.slim.DatasetDataProvider"
GET = PROVIDER + ".get"
LIST_ITEMS = PROVIDER + ".list_items"
PARALLEL_READ, SINGLE_PASS_READ = "tf.contrib.slim.parallel_read", "tf.contrib.slim.single_pass_read"
PARAMETERS: Dict[str, Tuple[str, ...]] = {
    PROVIDER: ("dataset", "num_readers", "reader_kwargs", "shuffle", "num_epochs", "common_queue_capacity",
               "common_queue_min", "record_key", "seed", "scope"),
    PARALLEL_READ: ("data_sources", "reader_class", "num_epochs", "num_readers", "reader_kwargs", "shuffle", "dtypes",
                    "capacity", "min_after_dequeue", "seed", "scope"),
    SINGLE_PASS_READ: ("data_sources", "reader_class", "reader_kwargs", "scope"),
}
# What a pipeline that reads by slim has, beside what others have.
NAMES = tuple(PARAMETERS) + (GET, LIST_ITEMS)
# The numbers of readers, and of records in the queue that they fill, where the script does not say.
_READERS = {PROVIDER: "1", PARALLEL_READ: "4", SINGLE_PASS_READ: "1"}
_CAPACITY = "256"


def lines_of(
    name: str, given: Given, sources: str, records: readers.Records, scope: Scope, tf: str, slim: str, dataset: str
) -> List[str]:
    """Returns the statements that make the dataset of records.

    Args:
      name: the name of slim's function or class.
      given: parameter -> expression.
      sources: the expression of its files and patterns.
      records: how its readers read.
      scope: where the statements stand.
      tf: what TensorFlow is called there.
      slim: what slim is called there.
      dataset: the name of the variable.
    """
    files = scope.fresh("filenames", "file_names")
    lines = [
        "{} = {}.parallel_reader.get_data_files({})".format(files, slim, sources),
        "{} = {}.data.Dataset.from_tensor_slices({})".format(dataset, tf, files),
    ]
    is_single = name == SINGLE_PASS_READ
    shuffled = "False" if is_single else scope.code(given["shuffle"]) if "shuffle" in given else "True"
    seed = ""
    if "seed" in given and literal(given["seed"]) != "None":
        seed = ", seed={}".format(scope.code(given["seed"]))
    lines += _shuffled(shuffled, "{0} = {0}.shuffle(len({1}){2})".format(dataset, files, seed))
    epochs = scope.code(given["num_epochs"]) if "num_epochs" in given else "None"
    if epochs == "None" and not is_single:
        lines.append("{0} = {0}.repeat()".format(dataset))
    elif epochs != "1" and not is_single:
        lines.append("{0} = {0}.repeat({1})".format(dataset, epochs))
    number = scope.code(given["num_readers"]) if "num_readers" in given else _READERS[name]
    lines += readers.lines_of(records, dataset, False, "" if number == "1" else number)
    capacity = given.get("common_queue_capacity", given.get("capacity"))
    lines += _shuffled(shuffled, "{0} = {0}.shuffle({1}{2})".format(
        dataset, scope.code(capacity) if capacity is not None else _CAPACITY, seed))
    return lines


def _shuffled(condition: str, line: str) -> List[str]:
    if condition in ("True", "False"):
        return [line] if condition == "True" else []
    is_enclosed = condition.startswith("(") and condition.endswith(")") and ")" not in condition[1:-1]
    return ["if {}:".format(condition[1:-1] if is_enclosed else condition), "    " + line]
