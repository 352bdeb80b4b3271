import pytest

from legacy_towers.text.tables import format_table


def test_numbers_are_right_aligned_and_lines_have_no_trailing_spaces():
    assert format_table(["tower", "asked", "ops"], [["shared", "/cpu:0", 12], ["0", None, 3]]) == (
        "tower   asked   ops\n"
        "------  ------  ---\n"
        "shared  /cpu:0   12\n"
        "0                 3"
    )


def test_align_sets_the_alignment():
    assert format_table(["a", "b"], [["x", "yyy"]], align="rr") == "a    b\n-  ---\nx  yyy"
    assert format_table(["aa", "bb"], [[1, 2]], align="lr") == "aa  bb\n--  --\n1    2"


def test_a_table_without_header_has_only_rows():
    assert format_table([], [["loss", 0.5], ["accuracy", 0.25]]) == "loss       0.5\naccuracy  0.25"


def test_a_table_without_rows_has_only_the_header():
    assert format_table(["a", "bcd"], []) == "a  bcd\n-  ---"
    assert format_table([], []) == ""


@pytest.mark.parametrize("header, rows, align, message", [
    (["a", "b"], [["x"]], None, "row 0 of the table has 1 cells, not 2"),
    (["a", "b"], [["x", "y"]], "l", "it needs one letter, l or r, for each of 2 columns"),
    (["a"], [["x"]], "c", "it needs one letter, l or r, for each of 1 columns"),
], ids=["short row", "short align", "unknown letter"])
def test_rows_and_align_must_have_as_many_columns_as_the_header(header, rows, align, message):
    with pytest.raises(ValueError) as caught:
        format_table(header, rows, align)
    assert message in str(caught.value)
