"""The TypeScript types say what the Python messages say."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from dali_studio.studio.protocol import codegen_ts
from dali_studio.studio.protocol.messages import KernelMessage
from dali_studio.studio.protocol.requests import ClientMessage


def test_generating_twice_gives_the_same_text() -> None:
    assert codegen_ts.generate() == codegen_ts.generate()


@pytest.mark.parametrize("union", [ClientMessage, KernelMessage])
def test_every_message_has_its_tag(union: object) -> None:
    text = codegen_ts.generate()
    for kind in msgspec.inspect.type_info(union).types:  # type: ignore[attr-defined]
        assert f'export interface {kind.cls.__name__} {{\n  readonly type: "{kind.tag}";' in text


def test_browser_may_leave_defaults_out_and_the_kernel_does_not() -> None:
    text = codegen_ts.generate()
    assert "readonly gesture?: string;" in text, "the browser may leave out what has a default"
    assert "readonly milliseconds: number;" in text, "the kernel sends every field of its own messages"
    assert "readonly hint?: string;" in text, "structs that omit defaults may miss them"


def test_check_names_the_verb_when_stale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "packages" / "designer" / "src" / "protocol" / "generated.ts"
    target.parent.mkdir(parents=True)
    target.write_text("old", encoding="utf-8")
    monkeypatch.setattr(codegen_ts, "TARGET", target)
    assert codegen_ts.main(["--check"]) == 1
    assert "generated.ts: not what the code says. Run: make generated" in capsys.readouterr().err
    assert codegen_ts.main([]) == 0
    assert codegen_ts.main(["--check"]) == 0


def test_a_type_that_typescript_cannot_express_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    class Strange(msgspec.Struct, tag="strange"):
        when: msgspec.Raw

    monkeypatch.setitem(codegen_ts._UNIONS, "KernelMessage", Strange)  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(TypeError, match="cannot express"):
        codegen_ts.generate()
