"""Numbers of bytes as people write them."""
import pytest

from legacy_towers.byte_sizes import parse_bytes


@pytest.mark.parametrize("text, expected", [
    ("0", 0), ("65536", 65536), ("500KB", 500000), ("2 MB", 2000000), ("1GB", 10 ** 9),
    ("3KiB", 3072), ("8MiB", 8388608), ("2GiB", 2147483648),
])
def test_what_is_read(text, expected):
    assert parse_bytes(text) == expected


@pytest.mark.parametrize("text", ["", "lots", "1.5MB", "-1", "8mib", "8M", "MiB", "8MiBs"])
def test_what_is_none(text):
    with pytest.raises(ValueError, match="is no number of bytes, such as 65536, 500KB or 8MiB"):
        parse_bytes(text)
