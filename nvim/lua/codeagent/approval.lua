--- Answers to `approveServer` and `approveCall`: a float that shows everything, and one key for each answer.
local question_text = require("codeagent.question_text")
local ui = require("codeagent.ui")

local M = {}

--- Milliseconds in which a yes does not count: keys that were typed before anybody could have read.
M.GUARD = 400

---@class codeagent.Choice
---@field key string
---@field scope string the scope, or `deny`
---@field label string

--- The keys of a question, in the order in which they are shown.
---@type codeagent.Choice[]
M.call_choices = {
  { key = "y", scope = "once", label = "yes, once" },
  { key = "s", scope = "session", label = "in this session" },
  { key = "w", scope = "workspace", label = "always in this workspace" },
  { key = "a", scope = "always", label = "always" },
  { key = "n", scope = "deny", label = "no" },
}

---@type codeagent.Choice[]
M.server_choices = {
  { key = "y", scope = "session", label = "yes, in this session" },
  { key = "s", scope = "session", label = "in this session" },
  { key = "a", scope = "always", label = "always, as it stands here" },
  { key = "n", scope = "deny", label = "no, and never as it stands here" },
}

--- The window of the question that is open.
M.window = nil ---@type integer?

---@return integer
local function width()
  return math.max(20, math.min(96, vim.o.columns - 6))
end

---@param choices codeagent.Choice[]
---@return string
local function footer(choices)
  local parts, seen = {}, {}
  for _, choice in ipairs(choices) do
    if not seen[choice.scope] then
      seen[choice.scope] = true
      parts[#parts + 1] = ("%s %s"):format(choice.key, choice.label)
    end
  end
  return table.concat(parts, " · ") .. " · q not now"
end

--- The choices as lines below the text, so that they are read even where the border has no room for them.
---@param page codeagent.Writer
---@param choices codeagent.Choice[]
local function add_choices(page, choices)
  page:gap()
  local seen = {}
  for _, choice in ipairs(choices) do
    if not seen[choice.scope] then
      seen[choice.scope] = true
      page.lines[#page.lines + 1] = ("  %s  %s"):format(choice.key, choice.label)
      page.marks[#page.marks + 1] = { #page.lines - 1, 2, 3, "CodeAgentKey" }
    end
  end
  page.lines[#page.lines + 1] = "  q  not now (closing this window says no)"
  page.marks[#page.marks + 1] = { #page.lines - 1, 2, 3, "CodeAgentKey" }
end

--- Where nothing else can run until the answer is there: read keys on the spot.
---@param window integer
---@param choices codeagent.Choice[]
---@param answer fun(scope: string?)
local function ask_modal(window, choices, answer)
  local moves = { j = "\5", k = "\25", [" "] = "\6", b = "\2", ["\4"] = "\4", ["\21"] = "\21" }
  while vim.api.nvim_win_is_valid(window) do
    vim.cmd.redraw()
    local ok, key = pcall(vim.fn.getcharstr)
    if not ok or key == "q" or key == "\27" or key == "\3" then
      return answer(nil)
    end
    for _, choice in ipairs(choices) do
      if choice.key == key then
        return answer(choice.scope)
      end
    end
    if moves[key] then
      vim.api.nvim_win_call(window, function()
        vim.cmd.normal({ moves[key], bang = true })
      end)
    end
  end
end

--- Opens the float. Returns the function that takes it away.
---@param page codeagent.Writer
---@param choices codeagent.Choice[]
---@param title string
---@param answer fun(scope: string?) nil: closed
---@param options { modal?: boolean, more?: integer }
---@return fun() close
function M.open(page, choices, title, answer, options)
  add_choices(page, choices)
  local before = vim.api.nvim_get_current_win()
  local buffer = ui.scratch(page.lines)
  ui.paint(buffer, page.marks)
  if (options.more or 0) > 0 then
    title = ("%s (%d more)"):format(title, options.more)
  end
  local height = 0
  for _, line in ipairs(page.lines) do
    height = height + math.max(1, math.ceil(vim.fn.strdisplaywidth(line) / width()))
  end
  local window = ui.float(buffer, {
    title = title,
    footer = height > vim.o.lines - 6 and footer(choices) or nil,
    width = width(),
    height = height,
    zindex = 200,
  })
  M.window = window
  local function close()
    ui.close(window)
    if vim.api.nvim_win_is_valid(before) then
      pcall(vim.api.nvim_set_current_win, before)
    end
  end
  if options.modal then
    ask_modal(window, choices, answer)
    return close
  end
  local opened = vim.uv.now()
  for _, choice in ipairs(choices) do
    ui.map(buffer, choice.key, function()
      if choice.scope == "deny" or vim.uv.now() - opened >= M.GUARD then
        answer(choice.scope)
      end
    end, choice.label)
  end
  ui.map(buffer, { "q", "<Esc>" }, function()
    answer(nil)
  end, "not now")
  ui.map(buffer, { "i", "I", "A", "o", "O", "c", "d", "p", "x", "r", "<CR>" }, "<Nop>", "")
  vim.api.nvim_create_autocmd("BufWipeout", {
    buffer = buffer,
    once = true,
    callback = function()
      answer(nil)
    end,
  })
  return close
end

--- May this server start? Closing is a no for now, and is not remembered.
---@param params codeagent.ApproveServerParams
---@param answer fun(value: codeagent.ServerDecision?)
---@param options { modal?: boolean, more?: integer }
---@return fun() close
function M.server(params, answer, options)
  local page = question_text.server(params, width())
  return M.open(page, M.server_choices, "Start an MCP server?", function(scope)
    answer(scope and { decision = scope } or nil)
  end, options)
end

--- May this call run? Only what the policy would take is offered.
---@param params codeagent.ApproveCallParams
---@param answer fun(value: codeagent.CallDecision?)
---@param options { modal?: boolean, more?: integer }
---@return fun() close
function M.call(params, answer, options)
  local choices = vim.tbl_filter(function(choice)
    return choice.scope == "deny" or vim.tbl_contains(params.scopes, choice.scope)
  end, M.call_choices)
  local page = question_text.call(params, width())
  return M.open(page, choices, "Call a tool?", function(scope)
    answer({ decision = scope or "deny" })
  end, options)
end

return M
