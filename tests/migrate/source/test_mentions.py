"""Lines of comments and docstrings that mention queues."""
import pytest

from legacy_towers.migrate.source.mentions import lines_about_queues


@pytest.mark.parametrize("text, lines", [
    pytest.param("x = 1  # a Queue\n", [1], id="comment after a statement"),
    pytest.param("def f():\n    \"\"\"Takes.\n\n    queue: the names.\n    \"\"\"\n    return 1\n", [4],
                 id="docstring"),
    pytest.param("class A:\n    # first\n    'dequeues'\n", [3], id="docstring after a comment"),
    pytest.param("'A coordinator.'\nx = 'queue'\nprint(\"queue\")\n", [1], id="strings that are no docstrings"),
    pytest.param("queue = f(queue)\n# unqueued\n", [], id="names and other words"),
])
def test_lines_about_queues(text, lines):
    assert lines_about_queues(text) == lines
