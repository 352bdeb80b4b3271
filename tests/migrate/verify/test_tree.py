"""Copies of projects: what is copied, linked and left out."""
import os

import pytest

from legacy_towers.migrate.verify import tree as tree_module
from legacy_towers.migrate.verify.tree import Tree


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    for name in ("pkg", "data", ".git", "env"):
        (folder / name).mkdir(parents=True)
    files = {
        "train.py": "print(1)\r\n", "pkg/input.py": "print(2)\n", "data/small.csv": "1\n", ".git/config": "x",
        "env/pyvenv.cfg": "x", "env/lib.py": "x",
    }
    for name, text in files.items():
        (folder / name).write_bytes(text.encode())
    (folder / "data" / "large.bin").write_bytes(b"x" * (2 << 20))
    os.symlink("train.py", str(folder / "link.py"))
    os.symlink(str(tmp_path / "elsewhere"), str(folder / "data" / "outside"))
    return folder


def copied(project, tmp_path, texts=None):
    target = tmp_path / "copy"
    target.mkdir()
    return Tree(str(target), [str(project)], texts or {})


def test_small_files_are_copied_and_large_ones_linked(project, tmp_path):
    tree = copied(project, tmp_path)
    copy = tree.path_of(str(project))
    assert not os.path.islink(os.path.join(copy, "data", "small.csv"))
    assert os.readlink(os.path.join(copy, "data", "large.bin")) == str(project / "data" / "large.bin")
    assert os.readlink(os.path.join(copy, "data", "outside")) == str(tmp_path / "elsewhere")
    assert os.readlink(os.path.join(copy, "link.py")) == "train.py"
    assert sorted(os.listdir(copy)) == ["data", "link.py", "pkg", "train.py"]


def test_rewritten_files_have_their_text_with_its_line_ends(project, tmp_path):
    tree = copied(project, tmp_path, {str(project / "train.py"): "print(3)\r\n"})
    with open(tree.path_of(str(project / "train.py")), "rb") as file:
        assert file.read() == b"print(3)\r\n"
    assert (project / "train.py").read_bytes() == b"print(1)\r\n"


def test_a_file_written_in_the_copy_does_not_change_the_project(project, tmp_path):
    tree = copied(project, tmp_path)
    with open(tree.path_of(str(project / "data" / "small.csv")), "a") as file:
        file.write("2\n")
    assert (project / "data" / "small.csv").read_text() == "1\n"


def test_a_folder_with_many_entries_is_linked_unless_it_has_a_rewritten_file(project, tmp_path, monkeypatch):
    monkeypatch.setattr(tree_module, "_MOST_ENTRIES_OF_FOLDER", 0)
    tree = copied(project, tmp_path, {str(project / "pkg" / "input.py"): ""})
    assert os.path.islink(tree.path_of(str(project / "data")))
    assert not os.path.islink(tree.path_of(str(project / "pkg")))


def test_paths_go_both_ways(project, tmp_path):
    tree = copied(project, tmp_path)
    path = str(project / "pkg" / "input.py")
    assert tree.path_of(path) != path
    assert tree.original_of(tree.path_of(path)) == path
    assert tree.path_of("/elsewhere/x.py") == "/elsewhere/x.py"
    assert tree.original_of("/elsewhere/x.py") == "/elsewhere/x.py"


def test_a_folder_inside_another_is_copied_once(project, tmp_path):
    target = tmp_path / "copy"
    target.mkdir()
    tree = Tree(str(target), [str(project / "pkg"), str(project)], {})
    assert os.listdir(str(target)) == ["0"] or len(os.listdir(str(target))) == 1
    assert os.path.isfile(tree.path_of(str(project / "pkg" / "input.py")))
