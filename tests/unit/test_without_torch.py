"""What needs PyTorch says so where there is none."""

import importlib

import pytest


def test_the_losses_in_pytorch_name_the_extra(monkeypatch):
    name = "toplabel.torch"
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    monkeypatch.delitem(importlib.sys.modules, name, raising=False)
    with pytest.raises(ModuleNotFoundError, match=rf"{name} needs PyTorch: pip install") as caught:
        importlib.import_module(name)
    assert caught.value.name == "torch"
