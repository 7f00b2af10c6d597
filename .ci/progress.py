"""Runs a command and shows, on one moving line, how long it has taken and what it said last; all of it if it fails.

usage: progress.py WHAT COMMAND...
"""

import shutil
import subprocess
import sys
import threading
import time


def main() -> int:
    """Run it; the code is the command's."""
    what, *command = sys.argv[1:]
    start, said, moves = time.monotonic(), [""], sys.stdout.isatty()
    done = threading.Event()

    def show() -> None:
        while not done.wait(0.2 if moves else 15):
            text = f"{what}, {time.monotonic() - start:.0f} s: {said[-1].strip()}"
            text = text[: shutil.get_terminal_size().columns - 1]
            sys.stdout.write(f"\r\x1b[K{text}" if moves else f"{text}\n")
            sys.stdout.flush()

    thread = threading.Thread(target=show, daemon=True)
    thread.start()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    said.extend(line for line in process.stdout if line.strip())
    code = process.wait()
    done.set()
    thread.join()
    sys.stdout.write("\r\x1b[K" if moves else "")
    took = f"{time.monotonic() - start:.0f} s"
    print("".join([*said, f"{what}: failed after {took}"]) if code else f"{what}: {took}", flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main())
