"""Names of nvidia.dali's compiled module that programs use: the number of GPUs, and memory."""

from __future__ import annotations

from importlib import import_module

import pytest

from dali_studio import backend as ours

theirs = import_module("nvidia.dali.backend")
SETTINGS = [("SetHostBufferShrinkThreshold", "GetHostBufferShrinkThreshold", 0.5),
            ("SetHostBufferGrowthFactor", "GetHostBufferGrowthFactor", 1.1),
            ("SetDeviceBufferGrowthFactor", "GetDeviceBufferGrowthFactor", 1.1)]  # fmt: skip


@pytest.mark.parametrize(("set_it", "get_it", "first"), SETTINGS)
def test_settings_of_buffers_are_kept_and_refused_as_there(set_it: str, get_it: str, first: float) -> None:
    for module in (ours, theirs):
        assert getattr(module, get_it)() == first
        for wrong in (-0.5, 4.5):
            with pytest.raises(ValueError, match=r"[Tt]hreshold|[Gg]rowth factor"):
                getattr(module, set_it)(wrong)
        getattr(module, set_it)(1)
        assert getattr(module, get_it)() == 1
        getattr(module, set_it)(first)


def test_one_call_sets_both_factors() -> None:
    for module in (ours, theirs):
        module.SetBufferGrowthFactor(2.5)
        assert (module.GetHostBufferGrowthFactor(), module.GetDeviceBufferGrowthFactor()) == (2.5, 2.5)
        module.SetBufferGrowthFactor(1.1)


def test_memory_is_asked_for_and_given_back() -> None:
    assert ours.GetCUDADeviceCount() >= 0
    ours.ReleaseUnusedMemory()
    ours.PreallocatePinnedMemory(1 << 20)
    with pytest.raises(ValueError, match="bytes is -1"):
        ours.PreallocatePinnedMemory(-1)
    with pytest.raises(ValueError, match="device_id is 64"):
        ours.PreallocateDeviceMemory(1 << 20, 64)
