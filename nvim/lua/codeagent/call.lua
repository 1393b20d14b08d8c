--- A call of a tool as a buffer, `{ "tool": …, "arguments": { … } }`, made from its schema; `:write` or `<CR>` runs it.
local client = require("codeagent.client")
local json = require("codeagent.json")
local text = require("codeagent.text")
local ui = require("codeagent.ui")

local M = {}

local PREFIX = "codeagent-call://tool/"

local tools = {} ---@type table<string, codeagent.Tool> by address
local running = {} ---@type table<integer, fun()> by buffer: cancels

--- The keys of a buffer of arguments, for the help.
---@type { keys: string, desc: string }[]
M.keys = {
  { keys = "<CR> :w", desc = "run the call" },
  { keys = "<C-c>", desc = "cancel the call that is running" },
  { keys = "K <C-x><C-o>", desc = "what an argument means; complete it" },
}

---@param tool codeagent.Tool
---@return string
function M.address(tool)
  local name = tool.tool:gsub("[^%w_.-]+", "_"):sub(1, 80)
  return ("%s%s/%s.mcp-call.json"):format(
    PREFIX,
    require("codeagent.documents").encode(tool.server, tool.tool),
    name
  )
end

---@param buffer integer
---@param message? string
---@param group? string
local function say(buffer, message, group)
  if not vim.api.nvim_buf_is_valid(buffer) then
    return
  end
  vim.api.nvim_buf_clear_namespace(buffer, ui.namespace, 0, -1)
  if message then
    local last = vim.api.nvim_buf_line_count(buffer) - 1
    local lines = {}
    local width = math.max(20, vim.api.nvim_win_get_width(vim.fn.win_findbuf(buffer)[1] or 0) - 2)
    for _, line in ipairs(text.quoted(message, width, " ")) do
      lines[#lines + 1] = { { line, group or "CodeAgentMuted" } }
    end
    vim.api.nvim_buf_set_extmark(buffer, ui.namespace, last, 0, { virt_lines = lines })
  end
end

---@param tool codeagent.Tool
---@return string
local function bar(tool)
  local effect = require("codeagent.question_text").capabilities[tool.capability] or ""
  local asks = ({ ask = ", asks first", granted = ", by your approval", denied = ", is refused" })[tool.approval]
    or ""
  local group = ({ destructive = "CodeAgentDanger", write = "CodeAgentWarning" })[tool.capability]
    or "CodeAgentMuted"
  local parts =
    { { tool.tool, "CodeAgentTool" }, { tool.server, "CodeAgentServer" }, { effect .. asks, group } }
  return ui.bar(parts, "<CR> runs it")
end

---@param failure codeagent.Failure
---@return string
local function explained(failure)
  local parts = { failure.message, failure.hint }
  if failure.mayHaveTakenEffect then
    parts[#parts + 1] = "The call was sent already, and may have taken effect."
  end
  return table.concat(parts, "\n")
end

--- Calls a tool and shows the result.
---@param tool { server?: string, tool?: string, name?: string }
---@param arguments table
---@param on_end? fun(failure?: codeagent.Failure)
---@param on_progress? fun(progress: { message?: string, percentage?: integer })
---@return fun() cancel
function M.run(tool, arguments, on_end, on_progress)
  local state = require("codeagent.state")
  local params = { server = tool.server, tool = tool.tool, arguments = arguments }
  if tool.name then
    params = { name = tool.name, arguments = arguments }
  end
  state.add_call(1)
  return client.execute(
    "callTool",
    params,
    { on_progress = on_progress or function() end },
    function(failure, result)
      state.add_call(-1)
      if failure and not on_end then
        client.tell(failure)
      elseif result then
        require("codeagent.result").show(result)
      end
      if on_end then
        on_end(failure)
      end
    end
  )
end

---@param buffer integer
local function run_buffer(buffer)
  if running[buffer] then
    return vim.notify("codeagent: this call is running already; <C-c> cancels it.")
  end
  local typed = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\n")
  local call, problem = json.call(typed)
  if not call then
    return say(buffer, problem, "CodeAgentFailed")
  end
  say(buffer, "running …  <C-c> cancels")
  running[buffer] = M.run({ name = call.tool }, call.arguments, function(failure)
    running[buffer] = nil
    say(buffer, failure and explained(failure), "CodeAgentFailed")
    if vim.api.nvim_buf_is_valid(buffer) then
      vim.bo[buffer].modified = false
    end
  end, function(progress)
    local share = progress.percentage and (" %d %%"):format(progress.percentage) or ""
    say(buffer, ("running …%s %s  <C-c> cancels"):format(share, text.one_line(progress.message or "", 120)))
  end)
end

---@param buffer integer
local function map(buffer)
  ui.map(buffer, "<CR>", function()
    run_buffer(buffer)
  end, "run the call")
  ui.map(buffer, "<C-c>", function()
    if running[buffer] then
      running[buffer]()
    end
  end, "cancel the call")
  require("codeagent.documents").map(buffer)
end

--- The language server completes, explains and checks the arguments, as it does in files.
---@param buffer integer
local function attach(buffer)
  client.ready(function(_, lsp)
    if lsp and vim.api.nvim_buf_is_valid(buffer) and not vim.lsp.buf_is_attached(buffer, lsp.id) then
      vim.lsp.buf_attach_client(buffer, lsp.id)
    end
  end)
end

---@param buffer integer
---@param tool codeagent.Tool
local function prepare(buffer, tool)
  if
    vim.api.nvim_buf_line_count(buffer) == 1 and vim.api.nvim_buf_get_lines(buffer, 0, 1, false)[1] == ""
  then
    local names = require("codeagent.schema").names(tool.inputSchema)
    local example = require("codeagent.schema").arguments(tool.inputSchema)
    local shown = json.pretty(example, names, "  ")
    local lines =
      vim.split(('{\n  "tool": %s,\n  "arguments": %s\n}'):format(vim.json.encode(tool.name), shown), "\n")
    local undo = vim.bo[buffer].undolevels
    vim.bo[buffer].undolevels = -1
    vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
    vim.bo[buffer].undolevels = undo
  end
  vim.bo[buffer].filetype = "json"
  vim.bo[buffer].shiftwidth, vim.bo[buffer].expandtab = 2, true
  vim.bo[buffer].modified = false
  map(buffer)
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    vim.wo[window][0].winbar = bar(tool)
    local line = math.min(vim.api.nvim_buf_line_count(buffer) - 1, 4)
    local shown = vim.api.nvim_buf_get_lines(buffer, line - 1, line, false)[1] or ""
    local value = (shown:find(': "') or -1) + 2
    value = value > 1 and value or (shown:find(": ") or -1) + 1
    pcall(vim.api.nvim_win_set_cursor, window, { line, value })
  end
  attach(buffer)
end

---@param server string
---@param tool string
---@param callback fun(failure?: codeagent.Failure, tool?: codeagent.Tool)
local function find(server, tool, callback)
  client.execute("listTools", { server = server, includeDisabled = true }, nil, function(failure, result)
    if failure then
      return callback(failure)
    end
    for _, item in ipairs(result.tools) do
      if item.tool == tool and item.kind == "tool" then
        return callback(nil, item)
      end
    end
    callback(client.failure("unknownTool", ("%s has no tool `%s`"):format(server, tool)))
  end)
end

--- `BufReadCmd` and `BufWriteCmd` of `codeagent-call://tool/*`.
---@param event { event: string, buf: integer, match: string }
function M.on(event)
  local buffer, tool = event.buf, tools[event.match]
  if event.event == "BufWriteCmd" then
    return tool and run_buffer(buffer)
  end
  local bo = vim.bo[buffer]
  bo.buftype, bo.swapfile, bo.undofile, bo.modeline, bo.bufhidden = "acwrite", false, false, false, "hide"
  if tool then
    return prepare(buffer, tool)
  end
  local server, name = require("codeagent.documents").decode(event.match, PREFIX)
  if not server or not name then
    return say(buffer, "This is not the address of a call.", "CodeAgentFailed")
  end
  find(server, name, function(failure, found)
    if not vim.api.nvim_buf_is_loaded(buffer) then
      return
    elseif failure or not found then
      return say(buffer, failure and failure.message, "CodeAgentFailed")
    end
    tools[event.match] = found
    prepare(buffer, found)
  end)
end

--- Opens the buffer of arguments for a tool.
---@param tool codeagent.Tool
function M.open(tool)
  local address = M.address(tool)
  tools[address] = tool
  local buffer = vim.fn.bufadd(address)
  local window = vim.fn.win_findbuf(buffer)[1]
  if window then
    return vim.api.nvim_set_current_win(window)
  end
  local kind = require("codeagent.config").get().result
  vim.bo[buffer].buflisted = true
  local shown = ui.open(buffer, kind, { title = "Call a tool", width = 90, height = 12 })
  vim.api.nvim_set_current_win(shown)
  vim.wo[shown][0].winbar = bar(tool)
end

return M
