"""The documentation site builds without a warning, needs no other host, and has every public name and every link."""
import json
import os
import re
import subprocess
import sys
import threading
import time
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

import pytest
from report import chromium

pytest.importorskip("mkdocs", reason="the documentation is built where the extra `docs` is installed (tox -e lint)")
pytest.importorskip("mkdocstrings", reason="the documentation is built where the extra `docs` is installed")

CHECKOUT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CONFIG = os.path.join(CHECKOUT, "docs", "mkdocs.yml")
sys.path.insert(0, os.path.join(CHECKOUT, "docs", "tools"))

import reference  # noqa: E402

# Elements that make a browser load something; links, which a reader may follow, may have any target.
LOADED = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src", "object": "data"}


@pytest.fixture(autouse=True)
def fresh_graph():
    """Replaces the fixture of conftest.py: these tests need no TensorFlow."""


class Page(HTMLParser):
    """The parts of a built page that tests check.

    Attributes:
      ids: the anchors.
      links: the targets of links.
      loaded: the addresses that a browser loads.
      first: the text of the first paragraph of the article.
      headings: the number of headings of the second level.
    """

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loaded, self.first, self.headings = set(), [], [], None, 0
        self._in_article = self._in_first = False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.ids.add(values.get("id"))
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        if tag in LOADED and values.get(LOADED[tag]):
            self.loaded.append(values[LOADED[tag]])
        self._in_article |= tag == "article"
        self.headings += tag == "h2" and self._in_article
        if self._in_article and tag == "p" and self.first is None:
            self.first, self._in_first = "", True

    def handle_endtag(self, tag):
        self._in_first &= tag != "p"
        self._in_article &= tag != "article"

    def handle_data(self, data):
        if self._in_first:
            self.first += data


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Builds the site and returns its folder; a warning of mkdocs fails the test."""
    folder = str(tmp_path_factory.mktemp("docs") / "site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", CONFIG, "-d", folder]
    # Not in the checkout, where Python would import the folder legacy_towers/ instead of the installed package.
    elsewhere = os.path.dirname(folder)
    done = subprocess.run(command, cwd=elsewhere, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout
    return folder


@pytest.fixture(scope="module")
def built(site):
    """Returns {path in the site: Page} of all pages but 404.html, whose addresses are absolute."""
    found = {}
    for folder, _, names in os.walk(site):
        for name in names:
            if name.endswith(".html") and name != "404.html":
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as source:
                    found[os.path.relpath(path, site).replace(os.sep, "/")] = Page(source.read())
    assert len(found) > 10
    return found


def is_elsewhere(address):
    return re.match(r"(?:[a-z+]+:)?//", address) is not None


def test_nothing_is_loaded_from_another_host(built):
    found = {path: [each for each in page.loaded if is_elsewhere(each)] for path, page in built.items()}
    assert {path: addresses for path, addresses in found.items() if addresses} == {}


def test_styles_load_nothing_from_another_host(site):
    checked = 0
    for folder, _, names in os.walk(site):
        for name in names:
            if name.endswith((".css", ".html")):
                with open(os.path.join(folder, name), encoding="utf-8") as source:
                    text = source.read()
                assert not re.search(r"url\(\s*['\"]?(?:https?:)?//|@import\s+(?:url)?\W*(?:https?:)?//", text), name
                checked += 1
    assert checked > 10


def test_links_and_anchors_have_targets(site, built):
    broken = []
    for path, page in built.items():
        for link in page.links:
            if is_elsewhere(link) or link.startswith("mailto:"):
                continue
            target, _, anchor = link.partition("#")
            whole = os.path.normpath(os.path.join(os.path.dirname(path), unquote(target))) if target else path
            if whole in (".", ""):
                whole = "index.html"
            if not os.path.exists(os.path.join(site, whole)):
                broken.append("{}: {}".format(path, link))
            elif anchor and whole.endswith(".html") and unquote(anchor) not in built[whole.replace(os.sep, "/")].ids:
                broken.append("{}: {}".format(path, link))
    assert broken == []


def test_guides_link_to_generated_pages(built):
    assert "reference/legacy_towers.html#legacy_towers.DistributedOptimizer" in built["session-jobs.html"].links
    assert "reference/gradients.html" in built["variables-and-reductions.html"].links
    assert "command-line.html" in built["index.html"].links


@pytest.mark.parametrize("page", sorted(reference.PAGES))
def test_every_public_name_is_in_the_api_reference(page, built):
    module = reference.PAGES[page][0]
    names = reference.public_names(module)
    ids = built["reference/{}.html".format(page)].ids
    assert names and [name for name in names if "{}.{}".format(module, name) not in ids] == []
    assert [path for path in names.values() if path not in ids] == []


def test_the_names_of_the_api_reference_are_those_of_all():
    import legacy_towers

    names = set(reference.public_names("legacy_towers")) | {page for page in reference.PAGES if page != "legacy_towers"}
    assert names == set(legacy_towers.__all__) - {"__version__"}


def test_each_command_and_option_is_on_the_page_of_the_command_line(site):
    import command_line

    from legacy_towers.cli import main as cli

    with open(os.path.join(site, "command-line.html"), encoding="utf-8") as source:
        sections = re.split(r'<h2 id="([\w-]+)"', source.read())
    texts = dict(zip(sections[1::2], sections[2::2]))
    for row in cli.SUBCOMMANDS:
        for action in command_line.shown_actions(command_line.parser_of(row)):
            for option in action.option_strings:
                assert "<code>{}</code>".format(option) in texts[row.name], (row.name, option)


def test_each_rule_of_migrate_has_a_page_in_the_navigation(built):
    import rules_pages

    codes = [rule.code for rule in rules_pages.rules()]
    assert len(codes) > 60 and [code for code in codes if "rules/{}.html".format(code) not in built] == []
    assert [code for code in codes if "rules/{}.html".format(code) not in built["index.html"].links] == []


def test_each_check_of_doctor_has_a_page_in_the_navigation(built):
    pages = [path for path in built if path.startswith("checks/")]
    assert len(pages) > 30 and [path for path in pages if path not in built["index.html"].links] == []


def test_each_page_begins_with_what_the_reader_can_do_after_it(built):
    assert {path: page.first for path, page in built.items() if not page.first.startswith("After this page")} == {}


def test_each_page_has_a_table_of_contents(built):
    assert [path for path, page in built.items() if page.headings < 2] == []


def test_the_search_index_has_each_page(site, built):
    with open(os.path.join(site, "search", "search_index.json"), encoding="utf-8") as source:
        found = {entry["location"].partition("#")[0] for entry in json.load(source)["docs"]}
    assert {path for path in built} - found - {"index.html"} == set()


def test_there_are_a_light_and_a_dark_palette(site):
    with open(os.path.join(site, "index.html"), encoding="utf-8") as source:
        text = source.read()
    assert 'data-md-color-scheme="default"' in text and 'data-md-color-scheme="slate"' in text


class Quiet(SimpleHTTPRequestHandler):
    """Serves files without logging requests."""

    def log_message(self, *_):
        pass


@pytest.fixture
def served(site):
    """Serves the site on this machine and yields its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=site))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield "http://127.0.0.1:{}".format(server.server_address[1])
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def browser(tmp_path):
    if chromium.find() is None:
        pytest.skip(chromium.MISSING)
    with chromium.Chromium(tmp_path) as opened:
        yield opened


def until(browser, expression):
    """Returns the value of a JavaScript expression once it is true, or after a minute."""
    deadline = time.monotonic() + 60
    while True:
        found = browser.evaluate(expression)
        if found or time.monotonic() > deadline:
            return found
        time.sleep(0.2)


def test_search_finds_a_function_and_requests_no_other_host(browser, served):
    browser.look(1280)
    browser.call("Page.navigate", url=served + "/index.html?q=bucketed")
    found = until(browser, "Array.from(document.querySelectorAll('.md-search-result__link'), link => link.href)")
    assert any("reference/gradients.html" in link for link in found)
    asked = [about["request"]["url"] for method, about in browser.events if method == "Network.requestWillBeSent"]
    assert asked and [url for url in asked if not url.startswith((served, "data:"))] == []


# The first words of each table that is wider than the text, so that a reader must scroll it.
WIDE_TABLES = """Array.from(document.querySelectorAll(".md-typeset__scrollwrap"))
    .filter(each => each.scrollWidth > each.clientWidth + 1).map(each => each.innerText.slice(0, 40))"""


def one_of_each_kind(paths):
    """Returns the pages that are written by hand, and one of each folder of generated ones."""
    generated = {path.partition("/")[0]: path for path in paths if "/" in path}
    return [path for path in paths if "/" not in path] + list(generated.values())


@pytest.mark.parametrize("width, dark", [(390, False), (390, True), (1280, False), (1280, True)])
def test_no_page_is_wider_than_the_window(browser, served, built, width, dark):
    browser.look(width, dark)
    # What does not fit into a narrow window shows in one palette; the rest is a matter of the styles.
    for path in sorted(built) if (width, dark) == (390, False) else one_of_each_kind(sorted(built)):
        browser.call("Page.navigate", url="{}/{}".format(served, path))
        assert until(browser, "document.readyState === 'complete' && location.pathname === '/{}'".format(path))
        assert browser.evaluate("document.documentElement.scrollWidth") <= width, path
        assert browser.evaluate(WIDE_TABLES) == [], path
        assert browser.evaluate("document.body.dataset.mdColorScheme") == ("slate" if dark else "default"), path
