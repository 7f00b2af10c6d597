"""The documentation as a site that needs no network: ``make docs`` writes it to ``build/docs/html``.

The pages of ``docs/`` are its source, as they are. Beside them it has the notebooks with their figures, a page for each
operator and one for the codes of errors, which are made here. Links that leave the documentation become plain text.
"""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import errors
import operator_pages

HERE = Path(__file__).resolve().parent
DOCS, REPOSITORY = HERE.parent, HERE.parents[1]
TARGET = REPOSITORY / "build" / "docs"
#: What the contents show, in order: pages below a heading.
CONTENTS = {
    "Start": ("getting_started", "user_guide", "concepts", "notebooks/index"),
    "Coming from": ("from_nvidia_dali", "from_torchvision"),
    "Guides": (
        "jupyterlab", "conditionals", "dynamic", "pytorch", "torchvision", "jax", "tensorflow", "ray", "video",
        "data_sources", "parallel_sources", "checking_data", "damaged_files", "checkpoints", "label_guard",
        "reading_programs", "transforms", "gpu_data", "gpu_decoding", "measuring",
    ),
    "Reference": ("operators/index", "support", "troubleshooting", "glossary"),
    "Inside": (
        "performance", "file_speeds", "operator_speeds", "benchmarks", "architecture", "adding_an_operator",
        "adr/README", "security", "licences",
    ),
    "Project": ("contributing", "changelog"),
}  # fmt: skip
#: Pages of the repository that become pages of the site.
_ABOVE = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
_LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")


def stage(source: Path, *, pictures: bool = True) -> None:
    """Write all pages to an empty folder."""
    shutil.copytree(DOCS, source, ignore=shutil.ignore_patterns("_site"))
    for name, page in _ABOVE.items():
        shutil.copyfile(REPOSITORY / name, source / page)
    for page in source.rglob("*.md"):
        above = next((name for name, made in _ABOVE.items() if page == source / made), None)
        place = REPOSITORY / above if above else DOCS / page.relative_to(source)
        page.write_text(_within(page.read_text(encoding="utf-8"), place, source, page), encoding="utf-8")
    shutil.copyfile(HERE / "index.md", source / "index.md")
    _notebooks(source)
    operator_pages.write(source, pictures=pictures)
    errors.write(source / "troubleshooting.md")
    with (source / "index.md").open("a", encoding="utf-8") as index:
        for title, pages in CONTENTS.items():
            index.write(f"\n```{{toctree}}\n:hidden:\n:caption: {title}\n\n" + "\n".join(pages) + "\n```\n")
    decisions = sorted(path.stem for path in (source / "adr").glob("0*.md"))
    with (source / "adr" / "README.md").open("a", encoding="utf-8") as index:
        index.write("\n```{toctree}\n:hidden:\n\n" + "\n".join(decisions) + "\n```\n")


def _within(text: str, place: Path, source: Path, page: Path) -> str:
    """A page with links to pages of the site, and plain text for links to what the site has not."""

    def changed(match: re.Match[str]) -> str:
        words, target = match.groups()
        path, hash_, anchor = target.partition("#")
        if not path or re.match(r"[a-z]+:", path):
            return match.group()
        leads = (place.parent / path).resolve()
        leads = leads / "README.md" if leads == DOCS / "adr" else leads
        if leads.is_relative_to(DOCS) and leads.exists():
            made = source / leads.relative_to(DOCS)
        elif leads.name in _ABOVE and leads.parent == REPOSITORY:
            made = source / _ABOVE[leads.name]
        elif leads.suffix == ".ipynb" and leads.exists():
            made = source / "notebooks" / f"{leads.stem}.md"
        else:
            return words
        return f"[{words}]({os.path.relpath(made, page.parent)}{hash_}{anchor})"

    return _LINK.sub(changed, text)


def _notebooks(source: Path) -> None:
    folder = source / "notebooks"
    folder.mkdir()
    names: list[str] = []
    rows: list[str] = []
    for path in sorted((REPOSITORY / "notebooks").glob("*.ipynb")):
        text = _notebook(json.loads(path.read_text(encoding="utf-8")), folder, path.stem)
        page = folder / f"{path.stem}.md"
        page.write_text(_within(text, path, source, page), encoding="utf-8")
        title, _, rest = text.removeprefix("# ").partition("\n")
        names.append(path.stem)
        rows.append(f"| [{title}]({path.stem}.md) | {' '.join(rest.strip().split(chr(10) * 2)[0].split())} |")
    head = "# Notebooks\n\nThey are in the folder `notebooks` of the repository, and run as they are.\n\n"
    head += "| | |\n|---|---|\n"
    end = "\n\n```{toctree}\n:hidden:\n\n" + "\n".join(names) + "\n```\n"
    (folder / "index.md").write_text(head + "\n".join(rows) + end, encoding="utf-8")


def _notebook(notebook: dict[str, list[dict[str, object]]], folder: Path, name: str) -> str:
    """A notebook as a page; its figures become files."""
    parts: list[str] = []
    for cell in notebook["cells"]:
        text = "".join(cell["source"])  # type: ignore[arg-type]
        parts.append(text if cell["cell_type"] == "markdown" else f"```python\n{text}\n```")
        for output in cell.get("outputs", []):  # type: ignore[union-attr]
            if output["output_type"] == "stream":
                parts.append(f"```text\n{''.join(output['text']).rstrip()}\n```")
            elif "image/jpeg" in output.get("data", {}):
                figure = folder / f"{name}_{len(parts)}.jpg"
                figure.write_bytes(base64.b64decode("".join(output["data"]["image/jpeg"])))
                parts.append(f"![figure]({figure.name})")
            elif "text/plain" in output.get("data", {}):
                parts.append(f"```text\n{''.join(output['data']['text/plain']).rstrip()}\n```")
    return "\n\n".join(parts) + "\n"


def main() -> int:
    """Build the site; returns the exit code."""
    shutil.rmtree(TARGET, ignore_errors=True)
    TARGET.mkdir(parents=True)
    source = TARGET / "source"
    stage(source)
    (source / "_static").mkdir()
    shutil.copyfile(HERE / "site.css", source / "_static" / "site.css")
    shutil.copyfile(HERE / "conf.py", source / "conf.py")
    options = ["-b", "html", "-W", "--keep-going", "-q", "-j", "auto", "-d", str(TARGET / "trees")]
    command = [sys.executable, "-m", "sphinx", *options, str(source), str(TARGET / "html")]
    done = subprocess.run(command, check=False).returncode
    if done == 0:
        import links  # noqa: PLC0415 - beside this script

        broken = links.broken(TARGET / "html")
        sys.stdout.writelines(f"{line}\n" for line in broken)
        sys.stdout.write(f"The site is {TARGET / 'html' / 'index.html'}.\n" if not broken else "")
        done = 1 if broken else 0
    return done


if __name__ == "__main__":
    sys.exit(main())
