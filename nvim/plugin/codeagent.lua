-- What there is before anything is used: one command, and the two events that lead to it. Loads no module.
if vim.g.loaded_codeagent then
  return
end
vim.g.loaded_codeagent = 1

vim.api.nvim_create_user_command("CodeAgent", function(args)
  require("codeagent.command").run(args)
end, {
  nargs = "*",
  bang = true,
  desc = "MCP servers: panel, tools, resources, prompts (:help codeagent)",
  complete = function(lead, line, position)
    return require("codeagent.command").complete(lead, line, position)
  end,
})

local group = vim.api.nvim_create_augroup("codeagent", {})
vim.api.nvim_create_autocmd({ "BufReadCmd", "BufWriteCmd", "FileWriteCmd" }, {
  group = group,
  pattern = { "codeagent://*", "codeagent-call://*" },
  desc = "Resources of MCP servers, and calls of their tools, as buffers",
  callback = function(event)
    require("codeagent.documents").on(event)
  end,
})
