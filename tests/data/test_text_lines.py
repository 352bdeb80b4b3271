"""Examples from text lines, CSV files and whole files, and the errors of invalid files."""
import numpy as np
import pytest

from legacy_towers.compat import tf
from legacy_towers.data import Examples
from legacy_towers.errors import ArgumentError, InputError


def write(path, text):
    path.write_bytes(text.encode("utf-8"))
    return str(path)


def only_batch(examples):
    (batch,) = examples.numpy_batches(1000)
    return batch


@pytest.mark.parametrize("text, expected", [
    ("a\nb\n", [b"a", b"b"]),
    ("a\n\nb", [b"a", b"", b"b"]),
    ("a\r\nb\r\n\r\n", [b"a", b"b", b""]),
    ("\n", [b""]),
], ids=["final line break", "no final line break", "carriage returns", "one empty line"])
def test_count_and_ids_agree_with_the_lines_read(text, expected, tmp_path):
    examples = Examples.from_text_lines(write(tmp_path / "a.txt", text), lambda line: line, shuffle=False)
    assert only_batch(examples).tolist() == expected
    assert len(examples) == len(expected) and examples.known_count() is None
    assert list(examples.ids()) == list(range(1, len(expected) + 1))
    assert examples.name_of(1) == "a.txt, line 1"


def test_skip_lines(tmp_path):
    paths = [write(tmp_path / name, text) for name, text in (("a", "h\nk\n1\n"), ("b", "h\n"), ("c", "h\nk\n2\n3"))]
    examples = Examples.from_text_lines(paths, lambda line: line, skip_lines=2, shuffle=False)
    batch = only_batch(examples.with_ids())
    assert batch["example"].tolist() == [b"1", b"2", b"3"]
    assert batch["id"].tolist() == list(examples.ids())
    assert [examples.name_of(number) for number in batch["id"]] == ["a, line 3", "c, line 3", "c, line 4"]
    assert len(examples) == 3
    message = "no file has a line after the first 5, which skip_lines leaves out: .*a, .*b, .*c"
    with pytest.raises(InputError, match=message):
        Examples.from_text_lines(paths, lambda line: line, skip_lines=5)
    with pytest.raises(ArgumentError, match="skip_lines must be a whole number of at least 0, got -1"):
        Examples.from_text_lines(paths, lambda line: line, skip_lines=-1)


def test_csv_columns_defaults_and_quotes(tmp_path):
    path = write(tmp_path / "a.csv", '\ufeffname,size,"n, m"\n"Ann ""A"", B",1.5,3\n,,\n')
    columns = {"n, m": 7, "name": "nobody", "size": 0.0}
    batch = only_batch(Examples.from_csv(path, columns, shuffle=False))
    assert list(batch) == ["n, m", "name", "size"]
    assert batch["name"].tolist() == [b'Ann "A", B', b"nobody"]
    assert (batch["size"].dtype, batch["size"].tolist()) == (np.float32, [1.5, 0.0])
    assert (batch["n, m"].dtype, batch["n, m"].tolist()) == (np.int32, [3, 7])


def test_csv_without_a_header_and_with_another_delimiter(tmp_path):
    path = write(tmp_path / "a.csv", "1;2.5;x\n3;4.5;y")
    columns = {"n": tf.int64, "size": np.float64(0), "word": str}
    examples = Examples.from_csv(path, columns, header=False, delimiter=";", shuffle=False)
    batch = only_batch(examples)
    assert (batch["n"].dtype, batch["n"].tolist()) == (np.int64, [1, 3])
    assert (batch["size"].dtype, batch["size"].tolist()) == (np.float64, [2.5, 4.5])
    assert batch["word"].tolist() == [b"x", b"y"]
    assert len(examples) == 2


def test_an_empty_field_of_a_column_without_default_fails(tmp_path):
    path = write(tmp_path / "a.csv", "n,m\n1,2\n,3\n")
    with pytest.raises(tf.errors.InvalidArgumentError, match="required"):
        only_batch(Examples.from_csv(path, {"n": tf.int32}))


INVALID_FILES = [
    ("a missing column", {"a": "n,m\n1,2\n"}, {"k": 0},
     "a has no column 'k': the columns in its first line are 'n', 'm'"),
    ("other columns", {"a": "n,m\n1,2\n", "b": "m,n\n"}, {"n": 0},
     "b has other columns than .*a: the columns in its first line are"),
    ("a short line", {"a": "n,m\n1\n"}, {"n": 0}, r"a, line 2 has 1 fields, not 2 \(n, m\); the delimiter is ','"),
    ("a long line", {"a": "n,m\n1,2\n", "b": "n,m\n1,2,3\n"}, {"n": 0}, "b, line 2 has 3 fields, not 2"),
    ("an empty line", {"a": "n\n\n"}, {"n": 0}, "a, line 2 has 0 fields, not 1"),
    ("a broken quote", {"a": 'n,m\n"1\n",2\n'}, {"n": 0}, "a, line 2 has 1 fields, .* can't contain a line break"),
    ("only a header", {"a": "n,m\n"}, {"n": 0}, "no file has a line after the first 1, .*a"),
    ("an empty file", {"a": ""}, {"n": 0}, "all files are empty: .*a"),
]


@pytest.mark.parametrize(
    "files, columns, message", [case[1:] for case in INVALID_FILES], ids=[case[0] for case in INVALID_FILES]
)
def test_errors_name_the_invalid_csv_file(files, columns, message, tmp_path):
    paths = [write(tmp_path / name, text) for name, text in files.items()]
    with pytest.raises(InputError, match=message):
        Examples.from_csv(paths, columns)


def test_count_and_ids_check_every_csv_line(tmp_path):
    path = write(tmp_path / "a.csv", "n,m\n" + "1,2\n" * 50 + '1,"2,3"\n1,2,3\n')
    examples = Examples.from_csv(path, {"n": 0})
    with pytest.raises(InputError, match="a.csv, line 53 has 3 fields, not 2"):
        len(examples)
    with pytest.raises(InputError, match="a.csv, line 53 has 3 fields, not 2"):
        list(examples.ids())


INVALID_OPTIONS = [
    ({"columns": {}}, "columns must name at least one column"),
    ({"columns": {"n": [1, 2]}}, "column 'n' has the default"),
    ({"columns": {"n": tf.float16}}, "column 'n' has the default tf.float16: give a number or a string"),
    ({"columns": {"n": None}}, "column 'n' has the default None"),
    ({"columns": {"n": 0}, "delimiter": ", "},
     "delimiter must be one character, neither a quote nor a line break, got ', '"),
]


@pytest.mark.parametrize("options, message", INVALID_OPTIONS, ids=[message[:40] for _, message in INVALID_OPTIONS])
def test_invalid_options_of_from_csv(options, message, tmp_path):
    with pytest.raises(ArgumentError, match=message):
        Examples.from_csv(write(tmp_path / "a", "n\n1\n"), **options)


def test_whole_files(tmp_path):
    for name in ("cat", "dog"):
        (tmp_path / name).mkdir()
        for number in (1, 2):
            write(tmp_path / name / "{}.txt".format(number), "{}{}".format(name, number))

    def parse(path, contents):
        return {"kind": tf.strings.split([path], "/").values[-2], "contents": contents}

    examples = Examples.from_whole_files(str(tmp_path / "*" / "*"), parse, shuffle=False)
    batch = only_batch(examples.with_ids())
    assert batch["example"]["kind"].tolist() == [b"cat", b"cat", b"dog", b"dog"]
    assert batch["example"]["contents"].tolist() == [b"cat1", b"cat2", b"dog1", b"dog2"]
    assert [examples.name_of(number) for number in batch["id"]] == ["cat/1.txt", "cat/2.txt", "dog/1.txt", "dog/2.txt"]
    assert len(examples) == examples.known_count() == 4
    assert "4 whole files (" in examples.describe()
    write(tmp_path / "dog" / "3.txt", "")
    with pytest.raises(InputError, match="empty files: .*dog/3.txt; each file is an example, so leave these out"):
        Examples.from_whole_files(str(tmp_path / "*" / "*"), parse)
    with pytest.raises(InputError, match="there is no file .*bird"):
        Examples.from_whole_files(str(tmp_path / "bird"), parse)
