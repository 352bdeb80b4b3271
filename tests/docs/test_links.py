"""Links in the checkout have targets, and the long description for a package registry has no broken links."""
import os
import re
import runpy
from unittest import mock

import pytest
from doc_blocks import CHECKOUT, pages, read

PAPERS = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
# Created when the site is built.
GENERATED = re.compile(r"^docs/pages/(command-line|reference/\w+)\.md$")


@pytest.fixture(autouse=True)
def fresh_graph():
    """Replaces the fixture of conftest.py: these tests need no TensorFlow."""


def anchors_of(text):
    """Returns the anchors that Markdown processors create for headings: lower case, words joined by hyphens."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", re.sub(r"[`*]", "", heading)).strip().lower().replace(" ", "-")
            for heading in headings}


def broken_links(page):
    broken = []
    text = re.sub(r"^```.*?^```|`[^`\n]*`", "", read(page), flags=re.MULTILINE | re.DOTALL)
    for link in LINK.findall(text):
        if re.match(r"[a-z]+:", link):
            continue
        target, _, anchor = link.partition("#")
        path = os.path.normpath(os.path.join(os.path.dirname(page), target)).replace(os.sep, "/") if target else page
        if not os.path.exists(os.path.join(CHECKOUT, path)):
            broken.append(link)
        elif anchor and path.endswith(".md") and anchor not in anchors_of(read(path)):
            broken.append(link)
    return broken


@pytest.mark.parametrize("page", sorted(set(PAPERS) | set(pages())))
def test_links_have_targets(page):
    assert broken_links(page) == []


def test_pages_named_in_code_and_papers_exist():
    named = re.compile(r"docs/pages/[\w/-]+\.(?:md|png)")
    found = set()
    for folder in ("legacy_towers", "compat", "examples", "docs/tools"):
        for directory, _, names in os.walk(os.path.join(CHECKOUT, folder)):
            for name in names:
                if name.endswith(".py"):
                    with open(os.path.join(directory, name), encoding="utf-8") as source:
                        found.update(named.findall(source.read()))
    for page in PAPERS:
        found.update(named.findall(read(page)))
    assert found
    written = {path for path in found if not GENERATED.match(path)}
    assert [path for path in written if not os.path.exists(os.path.join(CHECKOUT, path))] == []


def test_files_named_in_pages_exist():
    named = re.compile(r"(?<![\w/.])(?:tests|examples/(?!s\b)|legacy_towers|compat)/[\w/]+(?:\.py)?(?![\w/])")
    for page in pages():
        if page == "docs/pages/names.md":  # it has paths of tests relative to tests/
            continue
        missing = [path for path in named.findall(read(page)) if not os.path.exists(os.path.join(CHECKOUT, path))]
        assert missing == [], page


def metadata():
    """Returns the keywords that setup.py passes to setuptools."""
    with mock.patch("setuptools.setup") as setup:
        runpy.run_path(os.path.join(CHECKOUT, "setup.py"))
    return setup.call_args[1]


def test_the_long_description_has_no_link_that_breaks_outside_the_checkout():
    description = metadata()["long_description"]
    assert [link for link in LINK.findall(description) if not link.startswith("#")] == []
    assert "<!--" not in description
    # The text of the links is kept.
    assert "Maintain a session job" in description and "legacy-towers compare" in description


def test_the_anchors_of_the_long_description_exist():
    description = metadata()["long_description"]
    links = [link[1:] for link in LINK.findall(description) if link.startswith("#")]
    assert set(links) <= anchors_of(description)


def test_metadata_is_valid_for_registries():
    keywords = metadata()
    assert "project_urls" not in keywords and "url" not in keywords
    assert any(each.startswith("Topic :: Scientific/Engineering") for each in keywords["classifiers"])
    assert any(each.startswith("Development Status ::") for each in keywords["classifiers"])
    assert any(each.startswith("Intended Audience ::") for each in keywords["classifiers"])
    # A registry rejects a license expression together with a classifier of the license.
    has_classifier = any(each.startswith("License ::") for each in keywords["classifiers"])
    assert has_classifier != ("license_expression" in keywords)
    assert keywords.get("license_expression", keywords.get("license")) == "Apache-2.0"


def test_the_readme_is_short():
    assert len(read("README.md").splitlines()) <= 150
