"""The pages of the checks are what their generator writes."""
import os
import sys

import pytest

CHECKOUT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(CHECKOUT, "docs", "tools"))

import checks_pages  # noqa: E402

from legacy_towers.doctor.registry import checks  # noqa: E402


def test_the_pages_are_up_to_date(tmp_path):
    checks_pages.write(str(tmp_path))
    different = []
    for folder in ("", checks_pages.FOLDER):
        made = {name for name in os.listdir(str(tmp_path / folder)) if name.endswith(".md")}
        there = set(os.listdir(os.path.join(checks_pages.PAGES, folder)))
        different += sorted(made - there) + (sorted(there - made) if folder else [])
        for name in sorted(made & there):
            with open(os.path.join(checks_pages.PAGES, folder, name), encoding="utf-8") as file:
                if file.read() != (tmp_path / folder / name).read_text(encoding="utf-8"):
                    different.append(name)
    assert different == [], "run python docs/tools/checks_pages.py"


def test_a_page_of_a_code_that_is_gone_is_removed(tmp_path):
    (tmp_path / "checks").mkdir()
    (tmp_path / "checks" / "LD000.md").write_text("gone")
    checks_pages.write(str(tmp_path))
    assert not (tmp_path / "checks" / "LD000.md").exists() and (tmp_path / "checks" / "LD101.md").exists()


@pytest.mark.parametrize("check", checks(), ids=lambda check: check.code)
def test_the_page_of_a_check_has_its_whole_explanation(check):
    page = checks_pages.pages()["checks/{}.md".format(check.code)]
    assert all(paragraph in page for paragraph in check.explanation.split("\n\n"))
    assert page.index("## What it finds\n\n{}".format(check.explanation[:20])) < page.index("## What to do\n")


def test_every_file_with_a_check_is_registered():
    folder = os.path.join(CHECKOUT, "legacy_towers", "doctor", "checks")
    with_checks = set()
    for name in os.listdir(folder):
        if name.endswith(".py"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                if "@check(" in file.read():
                    with_checks.add("legacy_towers.doctor.checks." + name[: -len(".py")])
    assert {each.function.__module__ for each in checks()} == with_checks
