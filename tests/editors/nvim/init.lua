-- What a user would have in init.lua, and a screen that is the same on every run.
vim.opt.runtimepath:prepend(vim.env.CODEAGENT_PLUGIN)
vim.opt.swapfile = false
vim.opt.shortmess:append("I")
vim.opt.ruler = false
vim.opt.laststatus = 2
vim.opt.completeopt = { "menuone", "noselect", "popup" }
vim.opt.statusline = "%t %= %{get(g:, 'codeagent_status', '-')}"
vim.opt.modeline = true
vim.opt.messagesopt = "wait:0,history:1000" -- a long message waits for nobody
vim.g.codeagent = vim.json.decode(vim.env.CODEAGENT_OPTIONS or "null", { luanil = { object = true } })
if not vim.env.CODEAGENT_LAZY then
  vim.lsp.enable("codeagent")
end
