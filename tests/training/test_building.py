"""The line that announces a slow build of the graph."""
import io
import threading

import pytest

from legacy_towers.training.building import announced_build


class Written(io.StringIO):
    """A stream with an event for the first write."""

    def __init__(self):
        super().__init__()
        self.written = threading.Event()

    def write(self, text):
        super().write(text)
        self.written.set()


@pytest.mark.parametrize("towers, text", [(1, "1 tower"), (4, "4 towers")])
def test_a_slow_build_is_announced_once(towers, text):
    stream = Written()
    with announced_build(towers, stream, after=0.01):
        assert stream.written.wait(30)
    assert stream.getvalue() == "building the graph of {}\n".format(text)


def test_a_fast_build_writes_nothing_even_if_it_fails():
    stream = Written()
    threads = threading.active_count()
    with pytest.raises(KeyError):
        with announced_build(2, stream, after=60):
            raise KeyError
    assert (stream.getvalue(), threading.active_count()) == ("", threads)


def test_announced_build_without_a_stream():
    threads = threading.active_count()
    with announced_build(2, None):
        assert threading.active_count() == threads
