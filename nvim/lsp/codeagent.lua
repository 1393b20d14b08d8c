-- The language server, for `vim.lsp.enable("codeagent")`. Every function loads what it needs when it is called.
---@param name string
local function later(name)
  return function(...)
    return require("codeagent.session")[name](...)
  end
end

---@type vim.lsp.Config
return {
  cmd = later("start"),
  root_dir = later("root_dir"),
  reuse_client = later("reuse"),
  before_init = later("before_init"),
  on_init = later("on_init"),
  on_attach = later("on_attach"),
  on_exit = later("on_exit"),
  handlers = {
    ["workspace/textDocumentContent/refresh"] = later("on_refresh"),
    ["$/cancelRequest"] = later("on_cancel"),
  },
  commands = {
    ["codeagent.openResource"] = later("open_resource"),
    ["codeagent.showLog"] = later("show_log"),
    ["codeagent.copyExpanded"] = later("copy_expanded"),
    ["codeagent.compareResults"] = later("compare_results"),
  },
  settings = { codeagent = {} },
}
