"""TensorFlow's readers as datasets of the records of a file."""
from typing import Callable, Dict, List, NamedTuple, Tuple

import libcst as cst

from legacy_towers.migrate.source.rewrite.names import dotted
from legacy_towers.migrate.source.rewrite.scope import Scope, literal
from legacy_towers.migrate.source.rewrite.shapes.producers import Cant, Given

PARAMETERS: Dict[str, Tuple[str, ...]] = {
    "tf.TFRecordReader": ("name", "options"),
    "tf.TextLineReader": ("skip_header_lines", "name"),
    "tf.FixedLengthRecordReader": ("record_bytes", "header_bytes", "footer_bytes", "hop_bytes", "name", "encoding"),
    "tf.WholeFileReader": ("name",),
    "tf.IdentityReader": ("name",),
}


# Longer lines are broken.
_LONGEST = 120


class Records(NamedTuple):
    """How a reader reads.

    Attributes:
      of_file: the function that makes the dataset of a file's records, "" if there is one record for each file name.
      record: the function that makes that one record of a file name, "" if it is the name.
      has_key: whether the key of a record is the file name.
      with_keys: the function that makes the dataset of a file's keys and records, "" where `of_file` is.
    """

    of_file: str
    record: str
    has_key: bool
    with_keys: str = ""


def records_of(name: str, given: Given, scope: Scope, tf: str) -> Records:
    """Returns how a reader reads.

    Args:
      name: the name of its class.
      given: parameter -> expression, each with names that `scope` has.
      scope: where the dataset is made.
      tf: what TensorFlow is called there.

    Raises:
      Cant: tf.data has no such reader.
    """
    return _READERS[name](given, scope, tf)


def lines_of(records: Records, dataset: str, with_key: bool, readers: str = "", count: str = "") -> List[str]:
    """Returns the statements that make the dataset of file names that of records.

    Args:
      records: how the reader reads.
      dataset: the name of the variable.
      with_key: whether the elements are (key, record).
      readers: the expression of the number of files that are read at a time, "" for one.
      count: the expression of the number of records that are read at a time, "" for one.
    """
    if records.of_file:
        of_file = records.with_keys if with_key else records.of_file
        if count:
            called = of_file if of_file.startswith("lambda") else "lambda filename: {}(filename)".format(of_file)
            of_file = "{}.batch({})".format(called, count)
        method, rest = ("interleave", ", cycle_length={}".format(readers)) if readers else ("flat_map", "")
        line = "{0} = {0}.{1}({2}{3})".format(dataset, method, of_file, rest)
        if len(line) > _LONGEST:
            line = "{0} = {0}.{1}(\n    {2}{3})".format(dataset, method, of_file, rest)
        return [line]
    if with_key:
        return ["{0} = {0}.map(lambda filename: (filename, {1}{2}))".format(
            dataset, records.record, "(filename)" if records.record else "filename"
        )]
    return ["{0} = {0}.map({1})".format(dataset, records.record)] if records.record else []


def _numbered(of_file: str, first: str, tf: str) -> str:
    """Returns the function of a file name that gives the file's records and their keys, such as b"file:3"."""
    return "{0}.enumerate({1}).map(\n" \
           "        lambda number, record: ({2}.strings.join([filename, ':', {2}.as_string(number)]), record))".format(
               of_file, first, tf)


def _at_positions(of_file: str, tf: str) -> str:
    """Returns the function of a file name that gives the file's records and their keys: b"file:" and their position.

    A TFRecord has 12 bytes before its data, and 4 after them. Positions in compressed files are those of their content.
    """
    return "{0}.apply({1}.data.experimental.scan(\n" \
           "        {1}.constant(0, {1}.int64), lambda position, record: (\n" \
           "            position + {1}.cast({1}.strings.length(record), {1}.int64) + 16,\n" \
           "            ({1}.strings.join([filename, ':', {1}.as_string(position)]), record))))".format(of_file, tf)


def _tfrecord(given: Given, scope: Scope, tf: str) -> Records:
    if "options" not in given or literal(given["options"]) == "None":
        text = "{}.data.TFRecordDataset".format(tf)
        return Records(text, "", False, _at_positions("lambda filename: {}(filename)".format(text), tf))
    options = scope.resolved(given["options"])
    kind = options.args[0].value if isinstance(options, cst.Call) and len(options.args) == 1 else None
    name = dotted(scope.resolved(kind)) if kind is not None else ""
    if isinstance(kind, cst.SimpleString):
        compression = kind.value
    elif name.rpartition(".")[2] in ("GZIP", "ZLIB", "NONE"):
        compression = '"{}"'.format(name.rpartition(".")[2].replace("NONE", ""))
    else:
        compression = "{}.python_io.TFRecordOptions.get_compression_type_string({})".format(
            tf, scope.code(given["options"]))
    text = "lambda filename: {}.data.TFRecordDataset(filename, {})".format(tf, compression)
    return Records(text, "", False, _at_positions(text, tf))


def _text_line(given: Given, scope: Scope, tf: str) -> Records:
    skipped = given.get("skip_header_lines")
    if skipped is not None and literal(skipped) == "True":
        # A dataset skips a number.
        skipped = cst.Integer("1")
    if skipped is None or literal(skipped) in ("0", "None", "False"):
        text = "{}.data.TextLineDataset".format(tf)
        return Records(text, "", False, _numbered("lambda filename: {}(filename)".format(text), "1", tf))
    text = "lambda filename: {}.data.TextLineDataset(filename).skip({})".format(tf, scope.code(skipped))
    # The lines that are skipped count.
    return Records(text, "", False, _numbered(text, "{} + 1".format(scope.code(skipped)), tf))


def _fixed_length(given: Given, scope: Scope, tf: str) -> Records:
    if "hop_bytes" in given and literal(given["hop_bytes"]) not in ("0", "None"):
        raise Cant("its records overlap or have gaps (hop_bytes), which tf.data can't read")
    if "encoding" in given and literal(given["encoding"]) != "None":
        raise Cant("it has an encoding")
    text = scope.code(given["record_bytes"])
    for name in ("header_bytes", "footer_bytes"):
        if name in given and literal(given[name]) not in ("0", "None"):
            text += ", {}={}".format(name, scope.code(given[name]))
    text = "lambda filename: {}.data.FixedLengthRecordDataset(filename, {})".format(tf, text)
    return Records(text, "", False, _numbered(text, "", tf))


def _whole_file(given: Given, scope: Scope, tf: str) -> Records:
    return Records("", "{}.read_file".format(tf), True)


def _identity(given: Given, scope: Scope, tf: str) -> Records:
    return Records("", "", True)


_READERS: Dict[str, Callable[[Given, Scope, str], Records]] = {
    "tf.TFRecordReader": _tfrecord,
    "tf.TextLineReader": _text_line,
    "tf.FixedLengthRecordReader": _fixed_length,
    "tf.WholeFileReader": _whole_file,
    "tf.IdentityReader": _identity,
}
