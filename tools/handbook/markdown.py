# SPDX-License-Identifier: Apache-2.0
"""What is looked for in Markdown: links, anchors, blocks of code, and what reads differently elsewhere."""

from __future__ import annotations

import re
from dataclasses import dataclass

FENCE = re.compile(r"^(?P<fence>```+)(?P<language>\w*)[^\n]*\n(?P<text>.*?)^(?P=fence)$", re.M | re.S)
LINK = re.compile(r"(?<!\\)\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
ITEM = re.compile(r"^\s*([-*+]|\d+\.) ")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, the comment right above it, the line where it begins."""

    language: str
    text: str
    comment: str
    line: int


def without_code(text: str) -> str:
    """The text with its fenced blocks, indented blocks and code between backticks blanked out, lines kept."""
    text = FENCE.sub(lambda found: "\n" * found[0].count("\n"), text)
    text = re.sub(r"(`+)(?!`)[^\n]*?(?<!`)\1(?!`)", "", text)
    return re.sub(r"(?<=\n\n)((?: {4}[^\n]*\n)+)", lambda found: "\n" * found[0].count("\n"), text)


def links(text: str) -> list[str]:
    """The targets of a page's links and pictures."""
    return LINK.findall(without_code(text))


def with_linked_pictures(text: str) -> str:
    """The text with each picture a link to its file, which shows it in its full size."""
    parts = re.split(r"(^```+.*?^```+$)", text, flags=re.MULTILINE | re.DOTALL)
    linked = (re.sub(r"(?<!\[)!\[[^\]]*\]\(([^)\s]+)\)", r"[\g<0>](\1)", part) for part in parts[::2])
    return "".join(part for pair in zip(linked, [*parts[1::2], ""], strict=True) for part in pair)


def slug(heading: str) -> str:
    """The anchor of a heading, as GitHub and the site make it."""
    heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors(text: str) -> set[str]:
    """The anchors of a page; the second heading of one name gets -1, the third -2."""
    found: dict[str, int] = {}
    result = set()
    for heading in re.findall(r"^#{1,6} (.+?)\s*#*$", FENCE.sub("", text), re.MULTILINE):
        name = slug(heading)
        count = found.get(name, 0)
        found[name] = count + 1
        result.add(f"{name}-{count}" if count else name)
    return result | set(re.findall(r'<a (?:id|name)="([^"]+)"', text))


def blocks(text: str) -> list[Block]:
    """The fenced blocks of a page."""
    found = []
    for match in FENCE.finditer(text):
        before = text[: match.start()].rstrip("\n")
        comment = re.search(r"<!--((?:(?!-->).)*)-->\Z", before, re.DOTALL)
        line = text.count("\n", 0, match.start()) + 1
        found.append(Block(match["language"], match["text"], comment[1].strip() if comment else "", line))
    return found


def lists_without_a_gap(text: str) -> list[int]:
    """Lines where a list follows a paragraph at once: GitHub shows a list there, the site none."""
    lines = without_code(text).split("\n")
    found = []
    for number in range(1, len(lines)):
        above = lines[number - 1]
        begins = ITEM.match(lines[number]) and above.strip() and not above.startswith(("#", "<!--", " "))
        if begins and not ITEM.match(above):
            found.append(number + 1)
    return found
