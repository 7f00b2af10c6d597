"""Whether the site holds together: links lead to pages and places in them, and nothing is fetched from a network."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

#: Elements that a page loads by itself, and their attributes.
_LOADED = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src"), ("source", "src")}


class _Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value for name, value in attrs if value}
        self.names.update(value for name, value in given.items() if name in ("id", "name"))
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        self.loaded += [given[name] for kind, name in _LOADED if kind == tag and name in given]


def broken(site: Path) -> list[str]:
    """A line for each link that leads nowhere, and for each thing that a page would fetch from elsewhere."""
    pages = {path: _Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    found: list[str] = []
    for path, page in pages.items():
        name = path.relative_to(site)
        for address in page.loaded:
            if urlsplit(address).netloc:
                found.append(f"{name} fetches {address}")
            elif not address.startswith("data:") and not _file(path, address).exists():
                found.append(f"{name} shows {address}, which is not there")
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = _file(path, link) if parts.path else path
            if not target.exists():
                found.append(f"{name} leads to {link}, which is not there")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].names:
                found.append(f"{name} leads to {link}, where there is no such place")
    return found


def _file(page: Path, address: str) -> Path:
    return (page.parent / unquote(urlsplit(address).path)).resolve()
