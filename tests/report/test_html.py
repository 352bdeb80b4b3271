"""The HTML page: self-contained, with escaped names, and as a browser renders it."""
import html.parser
import os
import re
import sys

import pytest
from report import chromium, documents

from legacy_towers.errors import ArgumentError, EnvironmentProblem
from legacy_towers.report import html as report_html
from legacy_towers.report.document import Verdict
from legacy_towers.report.html import page, write_html


@pytest.fixture(autouse=True)
def fresh_graph():
    """Replaces the fixture of conftest.py: these tests need no TensorFlow."""


@pytest.fixture(autouse=True)
def jinja2(request):
    """Skips the tests without jinja2, except the one for that case."""
    if "without_jinja2" not in request.node.name:
        pytest.importorskip("jinja2")


class Elements(html.parser.HTMLParser):
    """The tags, attributes and texts of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.texts = [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.texts.append(data)


@pytest.mark.parametrize("name", sorted(documents.DOCUMENTS))
def test_the_page_has_no_scripts_links_or_resources(name):
    text = page(documents.DOCUMENTS[name])
    elements = Elements(text)
    assert set(elements.tags) & {"script", "link", "img", "iframe", "object", "embed", "base", "form", "a"} == set()
    assert not any(key.startswith("on") or key in ("src", "href", "style") for key, _ in elements.attributes)
    assert re.search(r"@import|@font-face|url\(", text) is None
    assert "{{" not in text and "{%" not in text and ">None<" not in text and "nan%" not in text


def test_names_are_escaped():
    elements = Elements(page(documents.hostile()))
    text = "".join(elements.texts)
    assert "script" not in elements.tags
    # In headline, evidence, job, options, environment, rows, titles of charts, timeline and parity.
    assert text.count(documents.HOSTILE) > 20
    labels = [value for key, value in elements.attributes if key == "aria-label"]
    assert any(label.startswith(documents.HOSTILE + ": ") for label in labels)


def test_the_headline_is_the_verdict_of_the_most_towers():
    verdicts = {"1": Verdict("nothing is better.", None, []), "4": Verdict("take the queue.", "queue", ["a figure"])}
    text = page(documents.document(towers=(1, 4), verdicts=verdicts))
    assert re.findall(r"<h1>(.*)</h1>", text) == ["Take the queue."]
    assert "<li>a figure</li>" in text and "<p>nothing is better.</p>" in text


def test_a_headline_does_not_capitalize_the_name_of_a_pipeline():
    text = page(documents.document(verdicts={"4": Verdict("queue is 2 times faster.", "queue", [])}))
    assert "<h1>queue is 2 times faster.</h1>" in text


def test_the_winner_and_the_current_pipeline_are_marked():
    text = page(documents.document())
    (best,) = re.findall(r'<li class="best">\s*<span class="name">(.*?)</span>', text)
    assert best.replace("<wbr>", "") == "staged+dataset:next_per_tower"
    own = re.findall(r'<span class="name">(\S+) <span class="tag">current', text)
    assert set(own) == {"feed"}


def test_rounding_is_not_shown_as_a_difference():
    text = page(documents.troubled())
    table = text.split("The same data?")[1].split("</table>")[0]
    rows = dict(re.findall(r'<tr><th scope="row" class="left">(.*?)</th>(.*?)</tr>', table, re.DOTALL))
    split = rows["dataset:<wbr>split"]
    assert 'same, rounding <span class="quiet">2e-08</span>' in split and 'class="word no"' not in split
    assert '<td class="word no">differ</td>' in rows["dataset:<wbr>sharded"]


def test_the_page_has_date_command_and_environment():
    text = re.sub("<wbr>", "", page(documents.document()))
    for name, value in (
        ("date", "2026-11-20 09:30:00 UTC"), ("cpu", "A CPU @ 2.20GHz"), ("load average", "0.12"),
        ("legacy towers", "0.1.0"), ("tensorflow", "2.21.0"),
        ("command", "legacy-towers compare examples/digits.py --learning-rate 0.05 --html page.html"),
    ):
        assert "<dt>{}</dt><dd>{}</dd>".format(name, value) in text


def test_failures_are_shown_with_their_reason():
    text = page(documents.troubled())
    sentence = "the job has no files: this pipeline reads files, and the job has arrays"
    assert "<b>queue, dataset:per_device</b> failed: " + sentence in text


def test_the_error_without_jinja2_has_the_pip_command(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(EnvironmentProblem) as caught:
        write_html(documents.document(), str(tmp_path / "page.html"))
    assert "\n" not in str(caught.value) and "pip install jinja2" in str(caught.value)
    assert os.listdir(str(tmp_path)) == []


def test_the_page_is_written_atomically(tmp_path):
    path = str(tmp_path / "page.html")
    write_html(documents.document(), path)
    with open(path, encoding="utf-8") as source:
        assert source.read() == page(documents.document())
    gone = str(tmp_path / "gone" / "page.html")
    with pytest.raises(ArgumentError) as caught:
        write_html(documents.document(), gone)
    assert str(caught.value) == "the page can't be written to {}: No such file or directory".format(gone)


def test_text_that_utf8_can_not_encode_is_escaped(tmp_path):
    write_html(documents.document(job="job-\udcff"), str(tmp_path / "page.html"))
    assert b"job-\\udcff" in (tmp_path / "page.html").read_bytes()


def luminance(colour):
    """Returns the relative luminance of "#rrggbb", by WCAG 2."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_have_enough_contrast(scheme):
    with open(os.path.join(report_html.TEMPLATES, "report.css"), encoding="utf-8") as source:
        light, dark = re.findall(r":root \{(.*?)\}", source.read(), re.DOTALL)
    colours = dict(re.findall(r"--(\w+): (#\w{6})", light if scheme == "light" else dark))
    assert contrast("#000000", "#ffffff") == 21
    for text in ("ink", "quiet", "alarm"):
        assert contrast(colours[text], colours["paper"]) >= 4.5, text
    for part in ("work", "win", "wait", "feed", "limit", "spread"):
        assert contrast(colours[part], colours["paper"]) >= 3, part
    for part in ("work", "wait", "feed"):
        assert contrast(colours[part], colours["wash"]) >= 2.7, part


WIDTHS = (360, 768, 1280)
# Opens all details and returns the elements that extend beyond the window, except those inside of scrolling frames.
BEYOND_THE_WINDOW = """
(() => {
  document.querySelectorAll('details').forEach(item => { item.open = true; });
  const found = [];
  document.querySelectorAll('body *').forEach(item => {
    if (item.closest('.scroll') && !item.matches('.scroll')) return;
    const box = item.getBoundingClientRect();
    if (box.width && (box.right > innerWidth + 0.5 || box.left < -0.5)) {
      found.push(item.tagName + '.' + item.getAttribute('class') + ' ' + box.left + ' to ' + box.right + ': ' +
        item.textContent.trim().slice(0, 60));
    }
  });
  if (document.documentElement.scrollWidth > innerWidth) {
    found.push('the page is ' + document.documentElement.scrollWidth + ' wide');
  }
  return found;
})()
"""
# Returns the lines whose texts overlap.
OVERLAPS = """
(() => {
  const found = [];
  document.querySelectorAll('.bars li, .lane, .timeline h4').forEach(line => {
    const boxes = [...line.children].map(item => item.getBoundingClientRect()).filter(box => box.width && box.height);
    boxes.forEach((one, place) => boxes.slice(place + 1).forEach(other => {
      if (one.right > other.left + 1 && other.right > one.left + 1 &&
          one.bottom > other.top + 1 && other.bottom > one.top + 1) found.push(line.textContent.trim().slice(0, 60));
    }));
  });
  return found;
})()
"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    if chromium.find() is None:
        pytest.skip(chromium.MISSING)
    with chromium.Chromium(tmp_path_factory.mktemp("profile")) as running:
        yield running


@pytest.mark.parametrize("name", sorted(documents.DOCUMENTS))
def test_a_browser_shows_the_page_without_overflow_or_errors(name, browser, tmp_path):
    path = str(tmp_path / "page.html")
    write_html(documents.DOCUMENTS[name], path)
    browser.open(path)
    backgrounds = set()
    for dark in (False, True):
        for width in WIDTHS:
            browser.look(width, dark)
            assert browser.evaluate("innerWidth") == width
            assert browser.evaluate(BEYOND_THE_WINDOW) == [], "{} px, dark: {}".format(width, dark)
            assert browser.evaluate(OVERLAPS) == [], "{} px, dark: {}".format(width, dark)
            backgrounds.add(browser.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert len(backgrounds) == 2
    assert browser.evaluate("document.querySelectorAll('h1').length") == 1
    assert browser.complaints() == []
    assert browser.requests() == ["file://" + path]


def test_a_browser_draws_charts_of_the_figures(browser, tmp_path):
    path = str(tmp_path / "page.html")
    document = documents.document(towers=(1, 4))
    write_html(document, path)
    browser.look(1280)
    browser.open(path)
    widths = browser.evaluate(
        "[...document.querySelector('section .bars').querySelectorAll('rect.bar')].map(bar => bar.getBBox().width)"
    )
    speeds = sorted((row.examples_per_second.median for row in document.rows if row.towers == 4), reverse=True)
    assert [width / widths[0] for width in widths] == pytest.approx([speed / speeds[0] for speed in speeds], rel=1e-3)
    # With feed, the last row, the step waits 41 % of the time by replay, and 1.05 times that by trace.
    wait, work, traced_wait, traced_work = browser.evaluate(
        "[...document.querySelector('section .steps').lastElementChild.querySelectorAll('rect')]"
        ".map(bar => bar.getBBox().width)"
    )
    assert wait / (wait + work) == pytest.approx(0.41, rel=1e-3)
    assert traced_wait / (traced_wait + traced_work) == pytest.approx(0.4305, rel=1e-3)
    labels = browser.evaluate("[...document.querySelectorAll('section .steps .which')].map(item => item.textContent)")
    assert labels[-2:] == ["replay", "trace"]
    assert browser.evaluate("document.querySelectorAll('svg.multiple').length") == 5
    drawings = "[...document.querySelectorAll('svg[role=img]')]"
    assert browser.evaluate(drawings + ".length") > 40
    assert browser.evaluate(drawings + ".every(item => item.querySelector('title').textContent)")


def test_a_browser_runs_no_script_from_names(browser, tmp_path):
    path = str(tmp_path / "page.html")
    write_html(documents.hostile(), path)
    browser.open(path)
    assert browser.evaluate("document.scripts.length") == 0
    assert browser.evaluate("document.querySelector('h1').textContent") == documents.HOSTILE
    titles = browser.evaluate("[...document.querySelectorAll('svg title')].map(item => item.textContent)")
    assert any(title.startswith(documents.HOSTILE + ": ") for title in titles)


@pytest.mark.parametrize("body, found", [
    ("<div style='width: 2000px'>wide</div>", "overflow"),
    ("<script>console.error('no')</script>", "complaint"),
    ("<script>nothing.at.all()</script>", "complaint"),
    ("<img src='gone.png'>", "request"),
    ("<ol class=bars><li><b style='position: absolute'>one</b><b style='position: absolute'>two</b></ol>", "overlap"),
    ("<p>plain</p>", None),
])
def test_the_checks_of_a_page_find_planted_problems(body, found, browser, tmp_path):
    path = str(tmp_path / "page.html")
    with open(path, "w") as target:
        target.write("<!doctype html><meta charset=utf-8><title>x</title><body>" + body)
    browser.look(1280)
    browser.open(path)
    looks = {
        "overflow": browser.evaluate(BEYOND_THE_WINDOW),
        "overlap": browser.evaluate(OVERLAPS),
        "complaint": [complaint for complaint in browser.complaints() if "gone.png" not in complaint],
        "request": browser.requests()[1:],
    }
    assert [look for look in looks if looks[look]] == ([found] if found else [])
