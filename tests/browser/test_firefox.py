"""The designer in Firefox: pictures, a slider, a run, a theme."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import firefox, lab

pytestmark = pytest.mark.browser

_FIND = 'const find = name => document.querySelector(`[data-testid="${name}"]`);'
_PAINTED = f"""key => {{ {_FIND} const canvas = find(`thumb-${{key}}`);
  if (!canvas?.width) return '';
  const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  return pixels.some(v => v) ? String(pixels.reduce((sum, v, i) => (sum * 31 + v * (i % 7 + 1)) | 0, 7)) : ''; }}"""
_OTHER = f"(key, before) => {{ const now = ({_PAINTED})(key); return now !== before && now; }}"

# Without a window nothing has the focus, which tells JupyterLab what is in front.
_IN_FRONT = """async () => { const { shell, restored } = window.jupyterapp; await restored;
  const panel = [...shell.widgets('main')].find(widget => widget.context);
  panel?.node.dispatchEvent(new FocusEvent('focus'));
  return Boolean(panel) && shell.currentWidget === panel; }"""


@pytest.fixture
def opened(server: tuple[str, Path], tmp_path: Path) -> Iterator[firefox.Page]:
    """The first notebook, run, in Firefox."""
    program = firefox.firefox()
    if program is None:
        pytest.skip("Firefox is not installed (Debian's package firefox-esr)")
    (server[1] / "firefox.ipynb").write_bytes((server[1] / "01_designer.ipynb").read_bytes())
    with firefox.page(program, tmp_path) as page:
        page.go(f"{server[0]}/lab/workspaces/firefox/tree/firefox.ipynb?reset")
        page.wait("() => Boolean(document.querySelector('.jp-Notebook') && window.jupyterapp)")
        yield page
        page.evaluate("async () => { await window.jupyterapp.serviceManager.sessions.shutdownAll(); }")


def test_the_designer_works_in_firefox(opened: firefox.Page, artifacts: Path) -> None:
    page = opened
    page.wait(_IN_FRONT)
    page.evaluate(lab.RUN_ALL)
    before, upstream = page.wait(_PAINTED, "brightness_contrast"), page.wait(_PAINTED, "resize")
    page.evaluate(f"() => {{ {_FIND} find('designer').scrollIntoView(); }}")

    # a slider turns the photos at its node and behind it, not before it
    page.click("node-rotate", 70, 12)
    page.wait(f"() => {{ {_FIND} find('slider-angle')?.focus(); return Boolean(find('slider-angle')); }}")
    for _ in range(4):
        page.press("ArrowRight")
    page.wait(_OTHER, "brightness_contrast", before)
    assert page.evaluate(_PAINTED, "resize") == upstream

    # every node tells its time after a run
    page.click("run")
    page.wait(f"() => {{ {_FIND} return / (ms|µs|s)$/.test(find('time-rotate')?.textContent ?? ''); }}")
    page.evaluate(
        "() => window.jupyterapp.commands.execute('apputils:change-theme', { theme: 'JupyterLab Dark' }).then(() => 1)"
    )
    page.wait(f"() => {{ {_FIND} return find('designer').dataset.dsTheme === 'dark'; }}")
    page.screenshot(artifacts / "firefox_dark.png")
    assert not [text for text in page.thrown if "dali-studio" in text or "blob:" in text]
