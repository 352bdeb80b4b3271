"""A record.json that is damaged."""
import pytest

from legacy_towers.errors import InputError
from legacy_towers.parity.recording import read_record


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"\xff\xff", b"[" * 200000, None])
def test_a_damaged_record_is_an_error_that_names_it(content, tmp_path):
    if content is not None:
        (tmp_path / "record.json").write_bytes(content)
    with pytest.raises(InputError, match="record.json .*is damaged"):
        read_record(str(tmp_path))
