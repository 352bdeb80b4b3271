"""Gives mkdocs the pages that are generated, and prepares pages for display.

Generated are the command line, the API reference and the rules of migrate. They are made at each build and never
written to the checkout, so that they can't be out of date.
"""
import os
import re
import sys

from mkdocs.structure.files import File

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import command_line  # noqa: E402
import layout  # noqa: E402
import reference  # noqa: E402
import rules_pages  # noqa: E402

_ATTRIBUTE = re.compile(r'class="doc doc-object doc-attribute">\s*<h\d id="([^"]+)"')
_API = re.compile(r"API reference of `(lt(?:\.\w+)?)`")
_COMMANDS = "page of the command line"
_COMMENT = re.compile(r"^<!--.*?-->\n", re.MULTILINE | re.DOTALL)


# The pages whose entries in the navigation become those of all rules, and of all checks.
_RULES, _CHECKS = "rules/index.md", "checks.md"


def on_config(config):
    """Puts the pages of rules and checks into the navigation, in the place of the lists of all."""
    for section in config["nav"]:
        for entries in section.values():
            if isinstance(entries, list):
                for entry in entries:
                    title = next(iter(entry))
                    if entry[title] == _RULES:
                        entry[title] = rules_pages.navigation()
                    elif entry[title] == _CHECKS:
                        entry[title] = [{"All checks": _CHECKS}] + _checks(config["docs_dir"])
    return config


def _checks(folder):
    """Returns the entries of the pages of checks, which are in the checkout."""
    names = sorted(os.listdir(os.path.join(folder, "checks")))
    entries = []
    for name in names:
        with open(os.path.join(folder, "checks", name), encoding="utf-8") as source:
            title = re.search(r"^# (.+)$", source.read(), re.MULTILINE).group(1)
        entries.append({title: "checks/" + name})
    return entries


def on_files(files, config):
    """Adds the generated pages to those of docs/pages."""
    files.append(File.generated(config, "command-line.md", content=command_line.page()))
    for name, content in reference.pages().items():
        files.append(File.generated(config, "reference/{}.md".format(name), content=content))
    for path, content in rules_pages.pages().items():
        files.append(File.generated(config, path, content=content))
    return files


def on_page_markdown(markdown, page, config, files):
    """Drops the comments that tell the tests how a block is run, and links the names of generated pages.

    The pages have no such links themselves: a reader of the checkout has no generated pages.
    """
    if page.file.src_uri.startswith(("reference/", "command-line", "rules/")):
        return markdown
    linked = _API.sub(_link_to_api, _COMMENT.sub("", markdown))
    return linked.replace(_COMMANDS, "[{}](command-line.md)".format(_COMMANDS))


def _link_to_api(match):
    name = match.group(1).partition(".")[2]
    page = name if name in reference.PAGES else "legacy_towers"
    anchor = "" if name in ("", page) else "#legacy_towers." + name
    return "[{}](reference/{}.md{})".format(match.group(), page, anchor)


def on_page_content(html, page, config, files):
    """Prepares names and tables for narrow columns; the contents of the API reference have methods, no attributes."""
    if page.file.src_uri.startswith("reference/"):
        attributes = set(_ATTRIBUTE.findall(html))
        for entry in page.toc:
            _keep_methods(entry, attributes)
    return layout.prepared(html)


def _keep_methods(entry, attributes):
    for inner in entry.children:
        inner.children = [each for each in inner.children if each.id not in attributes]
        for each in inner.children:
            each.title = "." + each.title
