"""``dali-studio check``: what of a data set cannot be read or decoded, and what else stands out in it."""

from __future__ import annotations

import json
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing, suppress
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple, TextIO

import msgspec
from tqdm import tqdm

from dali_studio import __version__
from dali_studio.api.folders import folder_arguments
from dali_studio.cli import check_page
from dali_studio.cli.check_files import FileInfo, decode_file, read_header
from dali_studio.cli.check_page import Section
from dali_studio.cli.output import folder_for, write
from dali_studio.cli.text import note, say, table, waiting
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.core.wording import plural, size_words
from dali_studio.kernels.cpu.file_discovery import FileList, discover_files, has_known_ending
from dali_studio.operators.common import sentence

_CLEAN, _QUARANTINE, _PAGE, _STATE = "clean.txt", "quarantine.txt", "check.html", "state.jsonl"
#: Files of one task, and tasks that wait for a thread, per thread.
_CHUNK, _WAITING = 16, 3
#: A picture stands out that has a side of fewer pixels, one side so many times the other, so many times more or fewer
#: pixels than half of the pictures have, or colours that fewer than one in so many have.
_SMALLEST, _LONGEST, _UNLIKE, _RARE = 16, 8, 16, 20
#: Findings of a kind that the terminal shows.
_SHOWN = 20
#: What the lines of a list cannot hold.
_UNLISTABLE = re.compile(rb".*\n.*|.*\s", re.DOTALL)


class Found(NamedTuple):
    """What a check has found.

    Attributes
    ----------
    files : int
        How many there are.
    clean : list of (str, int)
        Paths and labels of what can be used, in the order of the data set.
    broken, copies, sizes, colors : Section
        Files that cannot be used, those that have the contents of an earlier one, and those that can be used but stand
        out.
    kinds : list of (str, str, int)
        Format, colours, number of files.
    """

    files: int
    clean: list[tuple[str, int]]
    broken: Section
    copies: Section
    sizes: Section
    colors: Section
    kinds: list[tuple[str, str, int]]

    @property
    def rows(self) -> list[tuple[str, str, str]]:
        """The kinds as rows of a table."""
        return [(kind, colors, f"{count:,}") for kind, colors, count in self.kinds]

    @property
    def summary(self) -> str:
        """It in a sentence."""
        lost = f"{len(self.broken.files):,} not usable, {len(self.copies.files):,} with the contents of another"
        return f"{plural(self.files, 'file')}: {plural(len(self.clean), 'line')} in the list, {lost}."


def check(target: str, out: str, *, headers: bool = False, as_json: bool = False) -> bool:
    """Check a folder, a list of files or a file.

    Parameters
    ----------
    target, out
        What is checked, and the folder that the lists, the page and the state go to.
    headers
        Whether files are not decoded.
    as_json
        Whether the result is written as JSON.

    Returns
    -------
    bool
        Whether all files can be used, and none is a copy of another.
    """
    with waiting(f"Listing {target}"):
        listed = _listed(Path(target), Path(out))
    folder = folder_for(out)
    paths = [os.path.abspath(path) for path in listed.paths]  # noqa: PTH100 - links keep their names
    try:
        about = _examined(list(dict.fromkeys(paths)), folder / _STATE, headers=headers)
    except KeyboardInterrupt:
        note(f"What was found out is in {folder / _STATE}; the same call goes on from there.")
        raise
    except OSError as error:
        raise _refused(
            f"{folder / _STATE} cannot be written: {error.strerror}", "Give --out another folder."
        ) from error
    with waiting("Writing the lists and the page"):
        found = _judged(paths, listed.labels.tolist(), about)
        _write_lists(folder, found)
        write(folder / _PAGE, _page(target, found))
    _tell(folder, found, as_json=as_json)
    return not found.broken.files and not found.copies.files


# ------------------------------------------------------------------------------------------------------ which files


def _listed(target: Path, out: Path) -> FileList:
    """The files: as `readers.file` lists class folders or a list, side by side in a folder, or one."""
    if target.is_dir() and out.resolve().is_relative_to(target.resolve()):
        raise _refused(f"{out} lies in the data set {target}, where it would be a class", "Give --out another folder.")
    name = str(target)
    try:
        if target.is_file():
            return discover_files(files=name, labels=0) if has_known_ending(name) else discover_files(file_list=name)
        return discover_files(target)
    except ValueError as error:
        files = None if target.is_file() else folder_arguments(target).get("files")
        if isinstance(files, tuple):
            return discover_files(files=list(map(str, files)), labels=[0] * len(files))
        hint = "Give a folder of images or of sub-folders with images, a list (path and label a line) or an image."
        raise _refused(sentence(error).rstrip("."), hint) from error


def _refused(message: str, hint: str) -> DaliStudioError:
    return DaliStudioError(Diagnostic(code="DS302", message=f"{message}.", hint=hint))


# -------------------------------------------------------------------------------------------------- what is in them


def _examined(paths: Sequence[str], place: Path, *, headers: bool) -> dict[str, FileInfo]:
    """What is known about each file; what the state tells of files that have not changed is not found out again."""
    known = _read_state(place)

    def header(path: str) -> FileInfo:
        about = known.get(path)
        return about if about is not None and about.holds(path) else read_header(path)

    found = dict[str, FileInfo]()
    with _opened_state(place, anew=not known) as state:
        with closing(_each(header, paths, "reading headers")) as results:
            for path, about in results:
                found[path] = about
                if about is not known.get(path):
                    _keep(state, path, about)
        left = [] if headers else [path for path in paths if not found[path].done]
        with closing(_each(lambda path: decode_file(path, found[path]), left, "decoding")) as results:
            for path, about in results:
                _keep(state, path, about)
    return {path: found[path] for path in paths}  # threads finish in any order


def _each(function: Callable[[str], FileInfo], paths: Sequence[str], what: str) -> Generator[tuple[str, FileInfo]]:
    """The results of a function for many paths, as they come, from threads on all processors; progress is shown."""
    threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

    def work(first: int) -> list[tuple[str, FileInfo]]:
        return [(path, function(path)) for path in paths[first : first + _CHUNK]]

    pool = ThreadPoolExecutor(threads, "dali-studio-check")
    pending = set[Future[list[tuple[str, FileInfo]]]]()
    # shown on a terminal alone; standard error may be closed
    off = sys.stderr is None or None  # pyright: ignore[reportUnnecessaryComparison] - `2>&-`
    try:
        with tqdm(total=len(paths), desc=what, unit="file", disable=off, leave=False, file=sys.stderr) as bar:
            firsts = iter(range(0, len(paths), _CHUNK))
            while True:
                for first in firsts:
                    pending.add(pool.submit(work, first))
                    if len(pending) >= threads * _WAITING:
                        break
                if not pending:
                    return
                done, pending = wait(pending, return_when=FIRST_COMPLETED)
                for one in done:
                    yield from one.result()
                    bar.update(len(one.result()))
    finally:
        pool.shutdown(cancel_futures=True)


def _read_state(place: Path) -> dict[str, FileInfo]:
    """What an earlier call has found out; a line that it could not finish is nothing."""
    known = dict[str, FileInfo]()
    try:
        with place.open(encoding="ascii") as lines:
            if next(lines, "").strip() != _heading():
                return known
            for line in lines:
                with suppress(ValueError):
                    path, about = json.loads(line)
                    known[path] = msgspec.convert(about, FileInfo)
    except (OSError, UnicodeDecodeError):
        pass
    return known


def _opened_state(place: Path, *, anew: bool) -> TextIO:
    if anew:
        write(place, _heading() + "\n")
    return place.open("a", encoding="ascii")


def _heading() -> str:
    """Of states: what another version has found out does not count."""
    return json.dumps({"dali_studio": __version__})


def _keep(state: TextIO, path: str, about: FileInfo) -> None:
    # json, since msgspec takes no names with bytes that are no text
    state.write(json.dumps([path, msgspec.to_builtins(about)]) + "\n")


# ---------------------------------------------------------------------------------------------------- what stands out


def _judged(paths: Sequence[str], labels: Sequence[int], about: Mapping[str, FileInfo]) -> Found:
    broken = {path: one.problem for path, one in about.items() if one.problem}
    for path in about:
        if _UNLISTABLE.fullmatch(os.fsencode(path)):
            broken[path] = "its name ends with a space or has a line break, which no list can hold"
    good = {path: one for path, one in about.items() if path not in broken}
    copies = _copies(good, dict(zip(paths, labels, strict=True)))
    clean = [(path, label) for path, label in zip(paths, labels, strict=True) if path in good and path not in copies]
    kinds = Counter((one.kind, one.colors) for one in good.values())
    return Found(
        len(about), clean, Section("Cannot be used", list(broken.items())),
        Section("Copies", list(copies.items())), Section("Unusual sizes", list(_unusual_sizes(good))),
        Section("Unusual colours", list(_unusual_colors(good))),
        [(*kind, count) for kind, count in kinds.most_common()],
    )  # fmt: skip


def _copies(good: Mapping[str, FileInfo], labels: Mapping[str, int]) -> dict[str, str]:
    """Files with the contents of an earlier one, and what is said of them."""
    first, copies = dict[str, str](), dict[str, str]()
    for path, one in good.items():
        other = first.setdefault(one.digest or path, path)
        if other != path:
            said = f"the same contents as {other}"
            unlike = f", whose label is {labels[other]}, and here {labels[path]}"
            copies[path] = said + (unlike if labels[other] != labels[path] else "")
    return copies


def _unusual_sizes(good: Mapping[str, FileInfo]) -> Iterable[tuple[str, str]]:
    pictures = {path: one for path, one in good.items() if one.width}
    usual = median(one.height * one.width for one in pictures.values()) if pictures else 0
    for path, one in pictures.items():
        sides = sorted((one.height, one.width))
        area, said = one.height * one.width, size_words(one.height, one.width)
        if sides[0] < _SMALLEST:
            yield path, f"{said}: a side is shorter than {_SMALLEST}"
        elif sides[1] > _LONGEST * sides[0]:
            yield path, f"{said}: a side is more than {_LONGEST} times as long as the other"
        elif not usual / _UNLIKE <= area <= usual * _UNLIKE:
            yield path, f"{said}, {area:,} in all; the median is {usual:,.0f}"


def _unusual_colors(good: Mapping[str, FileInfo]) -> Iterable[tuple[str, str]]:
    """Pictures among pictures, and sounds, whose channels these are, among sounds."""
    counts = Counter((one.sounds, one.colors) for one in good.values())
    totals = Counter(one.sounds for one in good.values())
    for path, one in good.items():
        count, total = counts[one.sounds, one.colors], totals[one.sounds]
        if count * _RARE < total:
            yield path, f"{one.colors}, as {count:,} of {plural(total, 'sound' if one.sounds else 'picture')}"


# ------------------------------------------------------------------------------------------------------------ results


def _write_lists(folder: Path, found: Found) -> None:
    write(folder / _CLEAN, b"".join(os.fsencode(path) + b" %d\n" % label for path, label in found.clean))
    lines = (f"{path}\t{said}\n" for path, said in (*found.broken.files, *found.copies.files))
    write(folder / _QUARANTINE, b"".join(map(os.fsencode, lines)))


def _page(target: str, found: Found) -> str:
    sections = [one for one in (found.broken, found.copies, found.sizes, found.colors) if one.files]
    folder = Path(target).absolute()
    return check_page.page(f"Check of {target}", [found.summary], found.rows, sections, folder)


def _tell(folder: Path, found: Found, *, as_json: bool) -> None:
    names = {"broken": found.broken, "copies": found.copies, "sizes": found.sizes, "colors": found.colors}
    if as_json:
        made: dict[str, Any] = {"files": found.files, "clean": len(found.clean)}
        made |= {name: [{"path": path, "reason": said} for path, said in one.files] for name, one in names.items()}
        made["kinds"] = [dict(zip(("format", "colors", "files"), row, strict=True)) for row in found.kinds]
        made["written"] = [str(folder / name) for name in (_CLEAN, _QUARANTINE, _PAGE)]
        say(json.dumps(made, indent=2))
        return
    if found.kinds:
        say(table(("format", "colours", "files"), found.rows, numbers=(2,)) + "\n")
    for section in names.values():
        if section.files:
            say(f"{section.title}: {plural(len(section.files), 'file')}")
            say("\n".join(f"  {path}: {said}" for path, said in section.files[:_SHOWN]))
            say(f"  and {len(section.files) - _SHOWN:,} more\n" if len(section.files) > _SHOWN else "")
    say(found.summary)
    say(f"Written to {folder}: {_CLEAN} (for readers.file(file_list=...)), {_QUARANTINE}, {_PAGE}.")
