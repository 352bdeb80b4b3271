"""Prepares the HTML of a page for narrow columns: names break after a dot, not within a word, and options don't break.

Tables get the heading of its column as `data-label` of each cell, which site.css shows where a window is too narrow for
the table, and `data-wide` where a name in the first column is long.
"""
import html
import re

# A name that is longer than this may break, after one of the characters below.
_LONGEST_WORD = 16
# In a table with more columns, or with a longer name in its first cells, these may break too.
_MOST_COLUMNS, _LONGEST_FIRST_CELL = 3, 34
_BREAK_AFTER = re.compile(r"([./(,=:+|])(?=[\w\"'\[*])")
_BREAK_AFTER_UNDERSCORE = re.compile(r"(?<=[a-z]_)(?=\w)")
_LONGEST_PART = 28
_PREFORMATTED = re.compile(r"(<pre\b.*?</pre>)", re.DOTALL)
_CODE = re.compile(r"<code>([^<]+)</code>")
# A path, a dotted name or a number such as 1e-12, in a cell's own text.
_CELL_WORD = re.compile(r"(?<=[>\s(])(?:[\w.]+/[\w./]+|\w+(?:\.\w+){2,}|\d[\d.]*e-\d+)(?=[<\s:,;.)])")
_TABLE = re.compile(r"<table>(.*?)</table>", re.DOTALL)


def prepared(page):
    """Returns the HTML of a page's article with places to break long names, and with labelled cells."""
    parts = _PREFORMATTED.split(page)
    parts[::2] = [_TABLE.sub(_labelled, _CODE.sub(_breakable, part)) for part in parts[::2]]
    return "".join(parts)


def _breakable(code):
    words = re.split(r"(\s+)", code.group(1))
    words[::2] = [_word(word, is_alone=len(words) == 1) for word in words[::2]]
    whole = "<code>{}</code>".format("".join(words))
    return _unbroken(whole) if len(words) == 1 and _has_hyphen(code.group(1)) else whole


def _word(word, is_alone):
    if _has_hyphen(word):
        return word if is_alone else _unbroken(word)
    if len(word) <= _LONGEST_WORD:
        return word
    parts = _BREAK_AFTER.sub(r"\1<wbr>", word).split("<wbr>")
    return "<wbr>".join(
        _BREAK_AFTER_UNDERSCORE.sub("<wbr>", part) if len(part) > _LONGEST_PART else part for part in parts
    )


def _has_hyphen(word):
    return "-" in word and len(word) <= 2 * _LONGEST_WORD


def _unbroken(text):
    return '<span class="unbroken">{}</span>'.format(text)


def _labelled(table):
    headings = [_text(cell) for cell in re.findall(r"<th\b[^>]*>(.*?)</th>", table.group(1), re.DOTALL)]
    is_wide = len(headings) > _MOST_COLUMNS or any(
        len(_text(cell)) > _LONGEST_FIRST_CELL
        for cell in re.findall(r"<tr>\s*<td\b[^>]*>(.*?)</td>", table.group(1), re.DOTALL)
    )
    count = iter(range(table.group(1).count("<td")))

    def labelled(cell):
        heading = headings[next(count) % len(headings)]
        return '<td data-label="{}"{}>'.format(html.escape(heading), cell.group(1))

    cells = re.sub(r"<td\b([^>]*)>", labelled, table.group(1))
    cells = _CELL_WORD.sub(lambda word: _word(word.group(), is_alone=False), cells)
    columns = "" if len(headings) < 3 else ' data-columns="{}"'.format(len(headings))
    return "<table{}{}>{}</table>".format(" data-wide" if is_wide else "", columns, cells)


def _text(cell):
    return html.unescape(re.sub(r"<[^>]+>", "", cell)).strip()
