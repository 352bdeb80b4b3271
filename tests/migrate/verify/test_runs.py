"""What is said of a command that fails."""
import pytest

from legacy_towers.migrate.verify import runs


@pytest.mark.parametrize("text, expected", [
    ("Traceback\n  File \"x\"\nValueError: no data\nlegacy-towers: 2 warnings\n", "ValueError: no data"),
    ("a.b.InvalidArgumentError: Graph execution error:\n\nDetected at\nno such row\n\t [[{{node Get}}]]\n\nstack\n",
     "a.b.InvalidArgumentError: no such row"),
    ("legacy-towers: error: there is no file\n", "legacy-towers: error: there is no file"),
    ("KeyboardInterrupt\n", "KeyboardInterrupt"),
    ("", ""),
], ids=["the error before other lines", "TensorFlow 2's heading", "no error by name", "no message", "nothing"])
def test_the_error_of_a_program_is_found_in_its_output(text, expected):
    assert runs._error(text) == expected
