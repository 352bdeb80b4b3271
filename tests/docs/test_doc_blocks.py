"""The parser of blocks finds each block with its marks and its output, and rejects blocks that no test would run."""
import pytest
from doc_blocks import blocks_of, missing_lines

PAGE = """\
Some words.

```python
x = 1
print(x)
```

```text
1
```

<!-- slow; not run: it needs a GPU -->
```sh
nvidia-smi
```

1. A step:

    ```python
    y = 2
    ```

<!-- not run: a drawing -->
```text
a -> b
```
"""


@pytest.fixture(autouse=True)
def fresh_graph():
    """Replaces the fixture of conftest.py: these tests need no TensorFlow."""


def test_blocks_have_their_marks_and_output():
    code, output, command, indented, drawing = blocks_of("page.md", PAGE)
    assert (code.language, code.text, code.line, code.marks) == ("python", "x = 1\nprint(x)\n", 4, {})
    assert (output.text, output.output_of) == ("1\n", 0)
    assert command.marks == {"slow": "", "not run": "it needs a GPU"}
    assert indented.text == "y = 2\n"
    assert (drawing.output_of, drawing.marks) == (None, {"not run": "a drawing"})


@pytest.mark.parametrize(
    "text, message",
    [
        ("```python\nx", "page.md:1: the block is not closed"),
        ("```\nx\n```", "page.md:1: '' is not one of"),
        ("Words.\n\n    x = 1\n", "page.md:3: an indented block"),
        ("<!-- not run -->\n```sh\nx\n```", "page.md:2: the mark 'not run' needs its reason"),
        ("<!-- fast -->\n```sh\nx\n```", "page.md:2: 'fast' is not one of the marks"),
    ],
    ids=["not closed", "no language", "indented", "no reason", "unknown mark"],
)
def test_a_block_that_no_test_would_run_is_an_error(text, message):
    with pytest.raises(ValueError, match=message):
        blocks_of("page.md", text)


@pytest.mark.parametrize(
    "shown, printed",
    [
        ("step 50/673  loss 0.03", "begin\nstep 150/673   loss 0.5\nend"),
        ("a\n...\nd", "a\nb\nc\nd"),
        ("...\nstep 5\ndone", "step 1\nstep 2\ndone"),
        ("a\nb", "a\nI0000 00:00:1795364726.226465    7521 port.cc:153] oneDNN is on.\nb"),
        ("way   examples/s\n----  -----", "way examples/s\n------  ----------"),
    ],
    ids=[
        "figures differ", "dots for any lines", "equal lines before the dots", "a line of the log",
        "columns with other widths",
    ],
)
def test_missing_lines_is_empty_if_the_output_was_printed(shown, printed):
    assert missing_lines(shown, printed) == []


@pytest.mark.parametrize(
    "shown, printed, missing",
    [
        ("a\nb", "a\nc\nb", ["a", "b"]),
        ("b\n...\na", "a\nb", ["a"]),
        ("loss 0.3", "accuracy 0.3", ["loss 0"]),
    ],
    ids=["a line between", "other order", "other text"],
)
def test_missing_lines_returns_lines_that_were_not_printed(shown, printed, missing):
    assert missing_lines(shown, printed) == missing
