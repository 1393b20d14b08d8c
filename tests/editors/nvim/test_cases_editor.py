"""The real-world cases of editors that are about a text, asked by Neovim's own client in every encoding, no plugin there."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from nvim_kit import PATIENCE, Nvim, wait_for

from e2e.kit import Table
from editor_cases import ENCODINGS, LISTED, Encoding, cases, declare

CONNECT = """
local encoding = ...
local capabilities = vim.lsp.protocol.make_client_capabilities()
capabilities.general.positionEncodings = { encoding, 'utf-16' }
_G.client = vim.lsp.start({
  name = 'bare',
  cmd = { 'codeagent-lsp' },
  root_dir = vim.fn.getcwd(),
  capabilities = capabilities,
  init_options = { workspaceTrust = true, clientFeatures = { 'documents' } },
})
"""

ASK = """
local text, language, method, params, patience = ...
local buffer = vim.api.nvim_create_buf(true, false)
vim.api.nvim_buf_set_name(buffer, ('%s/case-%d'):format(vim.fn.getcwd(), buffer))
vim.bo[buffer].filetype = language
vim.bo[buffer].fileformat = text:find('\\r\\n') and 'dos' or 'unix'
local lines = vim.split((text:gsub('\\r\\n', '\\n')), '\\n', { plain = true })
vim.api.nvim_buf_set_lines(buffer, 0, -1, true, lines)
vim.lsp.buf_attach_client(buffer, _G.client)
params = vim.json.decode(params)
params.textDocument = { uri = vim.uri_from_bufnr(buffer) }
local answer, problem = vim.lsp.get_client_by_id(_G.client):request_sync(method, params, patience * 1000, buffer)
vim.api.nvim_buf_delete(buffer, { force = true })
assert(answer and not answer.err, vim.inspect(answer and answer.err or problem))
return vim.json.encode(answer.result == nil and vim.NIL or answer.result)
"""

COMMAND = """
local client = vim.lsp.get_client_by_id(_G.client)
if not client or not client.initialized then
  return vim.NIL
end
local answer = client:request_sync('workspace/executeCommand', { command = 'codeagent.status', arguments = {} }, 10000, 0)
return answer and answer.result and vim.json.encode(answer.result) or vim.NIL
"""


@pytest.mark.timeout(240)
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_the_cases_of_editors_hold(start: Callable[..., Nvim], tmp_path: Path, encoding: Encoding) -> None:
    """LSP-01, LSP-02, LSP-03, LSP-04, LSP-05, LSP-06, LSP-07 and LSP-08; an empty Lua table goes out as `[]`."""
    nvim = start(servers=declare(tmp_path / "lists"), lazy=True)
    nvim.lua(CONNECT, encoding)

    def listed() -> bool:
        found = {
            item["server"]: item["resources"] for item in json.loads(nvim.lua(COMMAND) or '{"servers": []}')["servers"]
        }
        return all(found.get(name) == len(uris) for name, uris in LISTED.items())

    wait_for("every server to be listed", listed)
    assert nvim.lua("return vim.lsp.get_client_by_id(_G.client).offset_encoding") == encoding
    table = Table()
    for case in cases(encoding):
        with table.case(case.name):
            answer: Any = nvim.lua(ASK, case.text, case.language, case.method, json.dumps(case.params), PATIENCE)
            case.check(json.loads(answer))
    table.judge()
