"""Runs the notebooks that are kept with their outputs, and writes these, small: ``make notebooks`` (ARGS: parts of names).

Pictures become JPEG, so that pages of a repository show them and its history stays small.
"""

from __future__ import annotations

import base64
import io
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from PIL import Image

REPOSITORY = Path(__file__).resolve().parents[2]
#: Those that open the designer are kept as they are: a page without a kernel cannot show it.
WITHOUT_OUTPUTS = ("01_", "02_")


def kept_with_outputs() -> list[Path]:
    """Notebooks whose outputs are part of the repository."""
    found = sorted((REPOSITORY / "notebooks").glob("*.ipynb"))
    return [path for path in found if not path.name.startswith(WITHOUT_OUTPUTS)]


def refresh(path: Path) -> None:
    """Run a notebook and keep its outputs."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(path.parent)}}).execute()
    for number, cell in enumerate(cell for cell in notebook.cells if cell.cell_type == "code"):
        cell.execution_count = number + 1
        cell.metadata = {}
        for output in cell.outputs:
            data = output.get("data", {})
            if "image/png" in data:
                data["image/jpeg"] = _jpeg(data.pop("image/png"))
            if output.get("execution_count"):
                output.execution_count = number + 1
    nbformat.write(notebook, path)


def _jpeg(png: str) -> str:
    file = io.BytesIO()
    with Image.open(io.BytesIO(base64.b64decode(png))) as image:
        ground = Image.new("RGB", image.size, "white")
        ground.paste(image, mask=image.convert("RGBA").getchannel("A"))
    ground.save(file, "JPEG", quality=78, optimize=True)
    return base64.b64encode(file.getvalue()).decode()


if __name__ == "__main__":
    for one in kept_with_outputs():
        if not sys.argv[1:] or any(word in one.name for word in sys.argv[1:]):
            sys.stdout.write(f"{one.name}\n")
            refresh(one)
