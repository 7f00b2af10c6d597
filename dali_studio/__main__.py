"""``python -m dali_studio VERB``: the command line where ``dali-studio`` is not on the path."""

from __future__ import annotations

import sys

from dali_studio.cli import main

if __name__ == "__main__":
    sys.exit(main())
