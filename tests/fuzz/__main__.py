"""``python tests/fuzz``: search for faults; see README.md."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent.parent)]
sys.path.remove(str(HERE))  # as ``python tests/fuzz`` puts it there; modules here are those of the package ``fuzz``

from fuzz import peer  # noqa: E402
from fuzz.families import SHARES, content  # noqa: E402
from fuzz.search import Lane, Log, facts, search  # noqa: E402


def main() -> int:
    """Parse the arguments and search; 1 if something was found."""
    parser = argparse.ArgumentParser(prog="python tests/fuzz", description="Searches for faults with mutated inputs.")
    parser.add_argument("--inputs", type=int, help="stop after so many")
    parser.add_argument("--seconds", type=float, help="stop after so long; without either limit it goes on until Ctrl+C")
    parser.add_argument("--seed", type=int, default=0, help="other cases under the same numbers")
    parser.add_argument("--first", type=int, default=0, help="number of the first case of each family")
    parser.add_argument("--family", action="append", choices=list(SHARES), help="only this one; may be repeated")
    parser.add_argument("--processes", type=int, default=max((os.cpu_count() or 2) - 1, 1))
    parser.add_argument("--log", type=Path, help="file for findings and counts, one JSON object a line")
    parser.add_argument("--keep", type=Path, help="folder for the inputs of findings")
    parser.add_argument("--without-peer", action="store_true", help="do not ask nvidia.dali, also where it is installed")
    parser.add_argument("--case", type=int, help="try this one of --family alone, and say what becomes of it")
    parser.add_argument("--write", type=Path, help="write the input of --case to this file")
    given = parser.parse_args()
    if given.without_peer:
        os.environ["FUZZ_WITHOUT_PEER"] = "1"
    families = given.family or list(SHARES)
    if given.case is not None:
        if len(families) != 1:
            parser.error("--case needs one --family")
        return _one(families[0], given.seed, given.case, given.write)
    try:
        compared = "" if given.without_peer else peer.version()
    except RuntimeError as error:
        parser.error(str(error))
    settings = {name: str(value) if isinstance(value, Path) else value for name, value in vars(given).items()} | facts() | {"nvidia.dali": compared}
    log = Log(given.log, given.keep, settings)
    told = search(
        inputs=given.inputs, seconds=given.seconds, seed=given.seed, families=families, processes=given.processes,
        first=given.first, log=log,
    )  # fmt: skip
    log.say(told)
    return 1 if log.findings or log.stopped else 0


def _one(family: str, seed: int, number: int, path: Path | None) -> int:
    if path is not None:
        path.write_bytes(content(family, seed, number))
    log = Log(None, None, {})
    lane = Lane(iter(()), seed, log, lambda: True)
    (outcome,) = lane.tried(family, [number])
    lane.close()
    log.say(f"{family} {number} ({outcome.group}): {outcome.verdict}\n{outcome.detail}")
    return 1 if outcome.finding else 0


if __name__ == "__main__":
    sys.exit(main())
