# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

"""page.py FILE: prints what is wrong with a page of HTML: elements that load or run something,
ids that are there twice, headings out of order, tables and pictures without names, elements that
are not closed. Then it prints how many pictures and tables the page has."""

import html.parser
import sys

EMPTY = {"meta", "br", "img", "link", "input", "hr"}
LOADS = {"script", "link", "img", "iframe", "object", "embed", "audio", "video", "form", "base"}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.ids, self.counts, self.level = [], set(), {}, 0
        self.lang = False

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.counts[tag] = self.counts.get(tag, 0) + 1
        if tag in LOADS or any(name.startswith("on") for name in given):
            print("loads or runs:", tag, given)
        for name in ("href", "xlink:href", "src", "action", "data"):
            if not given.get(name, "#").startswith(("#", "data:image/png;base64,")):
                print("another file:", tag, given[name])
        if "url(" in given.get("style", ""):
            print("another file:", given["style"])
        if given.get("id") in self.ids:
            print("id twice:", given["id"])
        if "id" in given:
            self.ids.add(given["id"])
        if tag == "html":
            self.lang = bool(given.get("lang"))
        if tag in ("h1", "h2", "h3"):
            if int(tag[1]) > self.level + 1:
                print("heading out of order:", tag)
            self.level = int(tag[1])
        if tag == "th" and given.get("scope") not in ("row", "col"):
            print("a heading of a table without scope")
        if tag == "svg" and (given.get("role") != "img" or not given.get("aria-labelledby")):
            print("a picture without a name")
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in EMPTY:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            sys.exit(f"line {self.getpos()[0]}: </{tag}> closes nothing")

    def handle_data(self, data):
        if self.open and self.open[-1] == "style" and ("url(" in data or "@import" in data):
            print("the style loads something")


page = Page()
with open(sys.argv[1], encoding="ascii") as file:
    page.feed(file.read())
counts = page.counts
if page.open or not page.lang or counts.get("h1") != 1 or counts.get("title", 0) < 1:
    print("not a whole page:", page.open)
if counts.get("table", 0) != counts.get("caption", 0):
    print("a table without a caption")
if counts.get("figure", 0) != counts.get("figcaption", 0):
    print("a figure without a caption")
print(counts.get("svg", 0), "pictures", counts.get("table", 0), "tables")
