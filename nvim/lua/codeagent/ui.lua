--- Windows and buffers of ours: floats, splits, scratch text, and the highlight groups that they use.
local M = {}

--- Our highlight groups, each linked to a standard one.
---@type { name: string, link: string, desc: string }[]
M.highlights = {
  { name = "CodeAgentTitle", link = "Title", desc = "headlines" },
  { name = "CodeAgentServer", link = "Identifier", desc = "names of servers" },
  { name = "CodeAgentTool", link = "Function", desc = "names of tools" },
  { name = "CodeAgentResource", link = "Directory", desc = "names of resources" },
  { name = "CodeAgentPrompt", link = "String", desc = "names of prompts" },
  { name = "CodeAgentGroup", link = "Label", desc = "Tools, Resources, Prompts" },
  { name = "CodeAgentReady", link = "DiagnosticOk", desc = "a server that is ready" },
  { name = "CodeAgentBusy", link = "DiagnosticInfo", desc = "a server that is starting" },
  { name = "CodeAgentWaiting", link = "DiagnosticWarn", desc = "a server that waits for you" },
  { name = "CodeAgentFailed", link = "DiagnosticError", desc = "a server that failed" },
  { name = "CodeAgentOff", link = "Comment", desc = "what is stopped or disabled" },
  { name = "CodeAgentMuted", link = "Comment", desc = "details" },
  { name = "CodeAgentDanger", link = "DiagnosticError", desc = "tools that may destroy data" },
  { name = "CodeAgentWarning", link = "DiagnosticWarn", desc = "warnings, and tools that write" },
  { name = "CodeAgentQuoted", link = "Normal", desc = "what others wrote, in questions" },
  { name = "CodeAgentMargin", link = "LineNr", desc = "the margin before what others wrote" },
  { name = "CodeAgentKey", link = "Special", desc = "keys" },
  { name = "CodeAgentField", link = "Label", desc = "names of fields in forms" },
  { name = "CodeAgentValue", link = "String", desc = "values in forms" },
  { name = "CodeAgentAdded", link = "Added", desc = "what is new since you approved it" },
  { name = "CodeAgentRemoved", link = "Removed", desc = "what is gone since you approved it" },
}

M.namespace = vim.api.nvim_create_namespace("codeagent")

local are_set = false

--- Defines the highlight groups, unless the user or the colour scheme has.
function M.highlight()
  if are_set then
    return
  end
  are_set = true
  for _, group in ipairs(M.highlights) do
    vim.api.nvim_set_hl(0, group.name, { link = group.link, default = true })
  end
end

---@class codeagent.Mark
---@field [1] integer line, from zero
---@field [2] integer first byte
---@field [3] integer byte behind the last; -1: the end of the line
---@field [4] string highlight group

--- A buffer of text that is not a file: no modelines, no swap file, gone with its window.
---@param lines string[]
---@param options? { name?: string, filetype?: string, keep?: boolean }
---@return integer
function M.scratch(lines, options)
  options = options or {}
  M.highlight()
  local buffer = vim.api.nvim_create_buf(false, true)
  local bo = vim.bo[buffer]
  bo.modeline, bo.swapfile, bo.undolevels = false, false, -1
  bo.bufhidden = options.keep and "hide" or "wipe"
  M.set_lines(buffer, lines)
  if options.name then
    pcall(vim.api.nvim_buf_set_name, buffer, options.name)
  end
  if options.filetype then
    bo.filetype = options.filetype
  end
  return buffer
end

--- Replaces the text of a buffer that cannot be changed by hand.
---@param buffer integer
---@param lines string[]
---@param marks? codeagent.Mark[]
function M.set_lines(buffer, lines, marks)
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].modified = false
  M.paint(buffer, marks or {})
end

--- The same where it differs only, so that cursor, folds and views of windows stay where they are.
---@param buffer integer
---@param lines string[]
---@param old? string[] what is in the buffer, where that is known
function M.replace(buffer, lines, old)
  old = old or vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
  local first, last_old, last_new = 1, #old, #lines
  while first <= last_old and first <= last_new and old[first] == lines[first] do
    first = first + 1
  end
  while last_old >= first and last_new >= first and old[last_old] == lines[last_new] do
    last_old, last_new = last_old - 1, last_new - 1
  end
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, first - 1, last_old, false, vim.list_slice(lines, first, last_new))
  vim.bo[buffer].modifiable, vim.bo[buffer].modified = false, false
end

--- Highlights stretches of a buffer, and nothing else of it.
---@param buffer integer
---@param marks codeagent.Mark[]
function M.paint(buffer, marks)
  vim.api.nvim_buf_clear_namespace(buffer, M.namespace, 0, -1)
  for _, mark in ipairs(marks) do
    local finish = mark[3] >= 0 and mark[3] or nil
    local line = not finish and vim.api.nvim_buf_get_lines(buffer, mark[1], mark[1] + 1, false)[1]
    vim.api.nvim_buf_set_extmark(buffer, M.namespace, mark[1], mark[2], {
      end_col = finish or (line and #line) or 0,
      hl_group = mark[4],
      strict = false,
    })
  end
end

---@class codeagent.FloatOptions
---@field title? string ours, never a server's
---@field footer? string
---@field width? integer columns wanted
---@field height? integer lines wanted
---@field enter? boolean default: yes
---@field zindex? integer
---@field filetype? string

---@param options codeagent.FloatOptions
---@return vim.api.keyset.win_config
local function placed(options)
  local columns, rows = vim.o.columns, vim.o.lines - vim.o.cmdheight - 1
  local width = math.max(1, math.min(options.width or 90, columns - 4))
  local height = math.max(1, math.min(options.height or 30, rows - 3))
  return {
    relative = "editor",
    row = math.max(0, math.floor((rows - height) / 2) - 1),
    col = math.max(0, math.floor((columns - width) / 2) - 1),
    width = width,
    height = height,
    style = "minimal",
    border = require("codeagent.config").border(),
    title = options.title and (" %s "):format(options.title) or nil,
    title_pos = options.title and "center" or nil,
    footer = options.footer and (" %s "):format(options.footer) or nil,
    footer_pos = options.footer and "center" or nil,
    zindex = options.zindex,
  }
end

--- Opens a float in the middle of the screen; it stays there when the screen's size changes.
---@param buffer integer
---@param options codeagent.FloatOptions
---@return integer window
function M.float(buffer, options)
  local window = vim.api.nvim_open_win(buffer, options.enter ~= false, placed(options))
  local wo = vim.wo[window]
  wo.wrap, wo.linebreak, wo.breakindent, wo.cursorline = true, false, false, false
  wo.foldenable, wo.conceallevel, wo.list, wo.spell = false, 0, false, false
  wo.winhighlight = "NormalFloat:Normal,FloatTitle:CodeAgentTitle"
  local group = vim.api.nvim_create_augroup("codeagent.float." .. window, {})
  vim.api.nvim_create_autocmd("VimResized", {
    group = group,
    callback = function()
      if vim.api.nvim_win_is_valid(window) then
        vim.api.nvim_win_set_config(window, placed(options))
      end
    end,
  })
  vim.api.nvim_create_autocmd("WinClosed", {
    group = group,
    pattern = tostring(window),
    callback = function()
      pcall(vim.api.nvim_del_augroup_by_id, group)
    end,
  })
  return window
end

--- Opens a window of the kind that an option names.
---@param buffer integer
---@param kind string `float`, `split`, `vsplit` or `tab`
---@param options codeagent.FloatOptions
---@return integer window
function M.open(buffer, kind, options)
  if kind == "float" then
    return M.float(buffer, options)
  end
  vim.cmd(({ vsplit = "botright vsplit", tab = "tab split" })[kind] or "botright split")
  local window = vim.api.nvim_get_current_win()
  vim.api.nvim_win_set_buf(window, buffer)
  if kind == "split" and options.height and #vim.api.nvim_tabpage_list_wins(0) > 1 then
    pcall(vim.api.nvim_win_set_height, window, math.min(options.height, math.floor(vim.o.lines * 0.6)))
  end
  return window
end

--- A line for 'winbar': pieces of text with their highlight groups, and what stands at the right.
---@param left { [1]: any, [2]: string }[]
---@param right string
---@return string
function M.bar(left, right)
  local text = require("codeagent.text")
  local parts = {}
  for _, piece in ipairs(left) do
    parts[#parts + 1] = ("%%#%s#%s"):format(piece[2], text.bar(piece[1], 300))
  end
  return (" %s%%=%%#CodeAgentMuted#%s "):format(table.concat(parts, " "), text.bar(right))
end

--- Closes a window, unless it is the last one.
---@param window? integer
function M.close(window)
  if window and vim.api.nvim_win_is_valid(window) then
    pcall(vim.api.nvim_win_close, window, true)
  end
end

--- Maps keys in a buffer.
---@param buffer integer
---@param keys string|string[]
---@param action function|string
---@param desc string
function M.map(buffer, keys, action, desc)
  for _, key in ipairs(type(keys) == "table" and keys or { keys }) do
    vim.keymap.set("n", key, action, { buffer = buffer, desc = desc, nowait = true, silent = true })
  end
end

return M
