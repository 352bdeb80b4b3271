"""Parsing of byte sizes such as 8MiB."""
import pytest

from legacy_towers.specs.grammar import parse_bytes


@pytest.mark.parametrize("text, expected", [
    ("0", 0), ("65536", 65536), ("500KB", 500000), ("2 MB", 2000000), ("1GB", 10 ** 9),
    ("3KiB", 3072), ("8MiB", 8388608), ("2GiB", 2147483648),
])
def test_parse_bytes(text, expected):
    assert parse_bytes(text) == expected


@pytest.mark.parametrize("text", ["", "lots", "1.5MB", "-1", "8mib", "8M", "MiB", "8MiBs"])
def test_parse_bytes_rejects_other_texts(text):
    with pytest.raises(ValueError, match="is not a number of bytes, such as 65536, 500KB or 8MiB"):
        parse_bytes(text)
