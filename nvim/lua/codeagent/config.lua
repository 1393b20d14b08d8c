--- Options: the defaults, `vim.g.codeagent`, and what `setup()` was given, in this order.
local M = {}

---@class codeagent.Config
---@field cmd? string[] The command that starts the language server. Default: `codeagent-lsp` on PATH, else the one that `:CodeAgent install` made.
---@field trust boolean|fun(folder: string): boolean Whether the servers of a project may be asked about at all. Each of them still starts only after you have seen and approved its command line.
---@field variables table<string, string> Variables for `${NAME}` in config files, besides those of the environment.
---@field also_read string[] Other tools' project files to read as well: `.mcp.json`, `.vscode/mcp.json`, `.cursor/mcp.json`.
---@field completion "auto"|boolean Completion of mentions as you type (|lsp-autocompletion|). `"auto"`: unless blink.cmp or nvim-cmp is there.
---@field panel "float"|"split"|"vsplit"|"tab" Where the panel opens; `:CodeAgent!` takes the other of float and split.
---@field result "split"|"vsplit"|"float"|"tab" Where arguments and results of a call open.
---@field icons "auto"|boolean Icons of a Nerd Font. `"auto"`: if `vim.g.have_nerd_font` is set.
---@field border string|string[] The border of floating windows; see |nvim_open_win()|. Default: 'winborder', else `"rounded"`.
---@field timeout integer Milliseconds that a call of the Lua API without a callback may take.
---@field install_source? string What `:CodeAgent install` installs. Default: the sources that this plugin came with.

---@type codeagent.Config
M.defaults = {
  cmd = nil,
  trust = true,
  variables = {},
  also_read = {},
  completion = "auto",
  panel = "float",
  result = "split",
  icons = "auto",
  border = nil,
  timeout = 30000,
  install_source = nil,
}

--- What each option may be, for checks and for the help.
---@type table<string, string>
M.types = {
  cmd = "string[]?",
  trust = "boolean|function",
  variables = "table",
  also_read = "string[]",
  completion = "auto|boolean",
  panel = "float|split|vsplit|tab",
  result = "split|vsplit|float|tab",
  icons = "auto|boolean",
  border = "string|table?",
  timeout = "number",
  install_source = "string?",
}

local given = {} ---@type table<string, any>

---@param value any
---@param wanted string
---@return boolean
local function fits(value, wanted)
  if value == nil then
    return true
  end
  for alternative in (wanted:gsub("%?$", "")):gmatch("[^|]+") do
    local is_list = alternative == "string[]" and type(value) == "table"
    if is_list or type(value) == alternative or value == alternative then
      return true
    end
  end
  return false
end

--- What is wrong with some options, one sentence each; empty where nothing is.
---@param options any
---@return string[]
function M.problems(options)
  if type(options) ~= "table" then
    return { ("options are a table, not a %s"):format(type(options)) }
  end
  local found = {}
  for name, value in vim.spairs(options) do
    local wanted = M.types[name]
    if not wanted then
      found[#found + 1] = ("there is no option `%s`"):format(name)
    elseif not fits(value, wanted) then
      local shown = wanted:gsub("%?$", ""):gsub("|", ", ")
      found[#found + 1] = ("`%s` is %s, not %s"):format(name, shown, vim.inspect(value))
    end
  end
  return found
end

--- Takes options over; those that are wrong are named and left out.
---@param options table
---@param from string
function M.set(options, from)
  for _, problem in ipairs(M.problems(options)) do
    local said = ("codeagent: %s in %s (:help codeagent-options)"):format(problem, from)
    vim.schedule(function()
      vim.notify(said, vim.log.levels.ERROR)
    end)
  end
  given[from] = {}
  for name, value in pairs(type(options) == "table" and options or {}) do
    if M.types[name] and fits(value, M.types[name]) then
      given[from][name] = value
    end
  end
end

local last ---@type any

--- The options in force.
---@return codeagent.Config
function M.get()
  local global = vim.g.codeagent
  if global ~= nil and not vim.deep_equal(global, last) then
    last = global
    M.set(global, "vim.g.codeagent")
  end
  return vim.tbl_extend("force", M.defaults, given["vim.g.codeagent"] or {}, given["setup()"] or {})
end

--- Whether icons of a Nerd Font may be drawn.
---@return boolean
function M.has_icons()
  local icons = M.get().icons
  if icons == "auto" then
    return vim.g.have_nerd_font == true or vim.g.have_nerd_font == 1
  end
  return icons == true
end

--- The border for floating windows.
---@return string|string[]
function M.border()
  return M.get().border or (vim.o.winborder ~= "" and vim.o.winborder) or "rounded"
end

return M
