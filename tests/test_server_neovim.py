"""The server with Neovim's own client, which is run without a screen."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

NVIM = shutil.which("nvim")
pytestmark = pytest.mark.skipif(NVIM is None, reason="Neovim is not installed")

PRINTS = "import mlx.core as mx\n\n\n@mx.compile\ndef step(x):\n    print(x)\n    return x * 2\n\n\nstep(mx.array(1.0))  # mxlint: ignore[MX301]\n"
SCRIPT = """
local out = {}
vim.cmd('edit a.py')
local id = vim.lsp.start_client({ name = 'mxlint', cmd = { vim.env.PYTHON, '-m', 'mxlint', 'server' }, root_dir = vim.fn.getcwd(),
  workspace_folders = { { uri = vim.uri_from_fname(vim.fn.getcwd()), name = 'here' } } })
vim.lsp.buf_attach_client(0, id)
local function codes()
  local found = {}
  for _, one in ipairs(vim.diagnostic.get(0)) do table.insert(found, one.code .. ':' .. one.lnum) end
  table.sort(found)
  return table.concat(found, ' ')
end
local function wait(text) return vim.wait(120000, function() return codes() == text end, 50) end
local function ask(method, params)
  local answers = vim.lsp.buf_request_sync(0, method, params, 120000) or {}
  return answers[id] and answers[id].result
end

out.opened = wait('MX001:9 MX101:5')
out.first = codes()
vim.api.nvim_buf_set_lines(0, 0, 0, false, { '# a line' })
out.moved = wait('MX001:10 MX101:6')
local params = vim.lsp.util.make_text_document_params()
local hover = ask('textDocument/hover', { textDocument = params, position = { line = 5, character = 5 } })
out.hover = hover and hover.contents.value
local all = ask('textDocument/codeAction', { textDocument = params, context = { diagnostics = {}, only = { 'source.fixAll' } },
  range = { start = { line = 0, character = 0 }, ['end'] = { line = 0, character = 0 } } })
local action = all[1].edit and all[1] or ask('codeAction/resolve', all[1])
vim.lsp.util.apply_workspace_edit(action.edit, 'utf-16')
out.last = vim.api.nvim_buf_get_lines(0, -2, -1, false)[1]
out.fixed = wait('MX101:6')
vim.fn.writefile({ vim.fn.json_encode(out) }, 'out.json')
vim.lsp.stop_client(id)
vim.cmd('qall!')
"""


def test_neovim_shows_findings_moves_them_along_hovers_and_fixes_all(tmp_path: Path) -> None:
    assert NVIM is not None
    (tmp_path / "a.py").write_text(PRINTS)
    (tmp_path / "script.lua").write_text(SCRIPT)
    home = tmp_path / "home"
    home.mkdir()
    done = subprocess.run(
        [NVIM, "--headless", "--clean", "-c", "luafile script.lua"],
        check=False,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=500,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "PYTHON": sys.executable, "HOME": str(home), "XDG_STATE_HOME": str(home), "XDG_CACHE_HOME": str(home)},
    )
    out = json.loads((tmp_path / "out.json").read_text()) if (tmp_path / "out.json").exists() else pytest.fail(done.stderr)
    assert out["opened"] and out["moved"] and out["fixed"], out
    assert "takes: x" in out["hover"]
    assert out["last"] == "step(mx.array(1.0))"
