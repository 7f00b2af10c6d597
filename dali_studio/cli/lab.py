"""``dali-studio lab``: JupyterLab on a notebook with the designer."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from dali_studio.api.default import default_registry
from dali_studio.cli.text import note, waiting
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.studio import gallery

#: The notebook that opens, and the one to which it leads.
FIRST, TOUR = "01_designer.ipynb", "02_designer_tour.ipynb"
#: Folder of the starters where none is named, made in the working folder.
FOLDER = "dali-studio-notebooks"


def open_lab(folder: str | None, options: list[str]) -> int:
    """Serve JupyterLab until it is stopped.

    Parameters
    ----------
    folder
        Where the notebook lies, or is to lie; ``None`` for the folder ``dali-studio-notebooks``.
    options
        Options of ``jupyter lab``, such as ``--no-browser``.

    Returns
    -------
    int
        Exit code.
    """
    notebook = starter(Path(folder or FOLDER))
    from dali_studio.samples import photos  # noqa: PLC0415 - pictures and JupyterLab take a moment to import

    photos()
    note(f"Opening {notebook} in JupyterLab; Ctrl-C ends it.")
    from jupyterlab.labapp import LabApp  # noqa: PLC0415

    if hasattr(os, "geteuid") and os.geteuid() == 0 and "--allow-root" not in options:
        note("You are root: JupyterLab gets the option --allow-root. What runs in notebooks may do anything here.")
        options = ["--allow-root", *options]
    # what notebooks and terminals of JupyterLab call by name is this environment's
    os.environ["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    place = [f"--ServerApp.root_dir={notebook.parent.resolve()}", f"--LabApp.default_url=/lab/tree/{notebook.name}"]
    LabApp.launch_instance(argv=[*place, *options])
    return 0


def starter(folder: Path) -> Path:
    """The first notebook in `folder`, put there with the tour and the gallery if missing; nothing is overwritten.

    Raises
    ------
    DaliStudioError
        DS302 if the folder cannot be written.
    """
    here = Path(__file__).resolve().parents[1]
    # Inside an installed package, or beside it in a checkout.
    source = next(place for place in (here / "starter" / "notebooks", here.parent / "notebooks") if place.is_dir())
    notebook = folder / FIRST
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in (FIRST, TOUR):
            if not (folder / name).exists():
                shutil.copyfile(source / name, folder / name)
        if source != folder.resolve() and not (folder / "gallery").exists():
            shutil.copytree(gallery.folder(), folder / "gallery")
            with waiting("Making sample data for the examples"):
                gallery.give_samples(folder / "gallery", default_registry())
    except OSError as error:
        message = f"{folder} cannot be used for notebooks: {error.strerror or error}."
        raise DaliStudioError(
            Diagnostic(code="DS302", message=message, hint="Name a folder that may be written.")
        ) from error
    return notebook
