"""JSON files with a checksum: every change of a bit and every truncation is found."""
import pytest

from legacy_towers.training.checkpoints.sealed import seal, unseal

VALUES = {"step": 500, "files": {"a.index": {"bytes": 12, "crc32": "00ffab12"}}, "value": 0.25}


def test_values_are_read_back():
    assert unseal(seal(VALUES)) == VALUES


def test_every_changed_bit_and_every_truncation_is_found():
    content = seal(VALUES)
    changed = [content[:size] for size in range(len(content))] + [content + b"\n", content.replace(b" ", b"  ")]
    for position in range(len(content)):
        changed += [
            content[:position] + bytes([content[position] ^ 1 << bit]) + content[position + 1 :] for bit in range(8)
        ]
    for each in changed:
        with pytest.raises(ValueError):
            unseal(each)
