"""docs/pages/checks.md is what its generator writes."""
import os
import sys

CHECKOUT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(CHECKOUT, "docs", "tools"))

import checks_page  # noqa: E402

from legacy_towers.doctor.registry import checks  # noqa: E402


def test_the_page_of_the_checks_is_up_to_date():
    with open(os.path.join(CHECKOUT, "docs", "pages", "checks.md"), encoding="utf-8") as file:
        assert file.read() == checks_page.page(), "run python docs/tools/checks_page.py docs/pages/checks.md"


def test_every_file_with_a_check_is_registered():
    folder = os.path.join(CHECKOUT, "legacy_towers", "doctor", "checks")
    with_checks = set()
    for name in os.listdir(folder):
        if name.endswith(".py"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                if "@check(" in file.read():
                    with_checks.add("legacy_towers.doctor.checks." + name[: -len(".py")])
    assert {each.function.__module__ for each in checks()} == with_checks
