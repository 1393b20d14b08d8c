--- Results of calls as buffers: text as it is, JSON laid out and folded, images and blobs by the path of a file.
local json = require("codeagent.json")
local text = require("codeagent.text")
local ui = require("codeagent.ui")

local M = {}

--- The keys of a result, for the help.
---@type { keys: string, desc: string }[]
M.keys = {
  { keys = "gd", desc = "open the resource that is mentioned under the cursor" },
  { keys = "gf", desc = "open the file of an image or another blob" },
  { keys = "D", desc = "compare with the run before (|:diffthis|)" },
  { keys = "za zR zM", desc = "folds, as everywhere" },
  { keys = "q", desc = "close" },
}

local history = {} ---@type table<string, string[][]> the lines of the last two results of each tool
local folds = {} ---@type table<integer, string[]>
local count = 0

local EXTENSIONS = {
  ["image/png"] = "png",
  ["image/jpeg"] = "jpg",
  ["image/gif"] = "gif",
  ["image/webp"] = "webp",
  ["image/svg+xml"] = "svg",
  ["audio/wav"] = "wav",
  ["audio/mpeg"] = "mp3",
  ["application/pdf"] = "pdf",
}

---@param block table
---@return string? path
---@return string? problem
local function saved(block)
  local data = block.data or (block.resource or {}).blob
  local kind = block.mimeType or (block.resource or {}).mimeType or ""
  local ok, bytes = pcall(vim.base64.decode, data)
  if not ok then
    return nil, "its data is not base64"
  end
  local folder = vim.fs.joinpath(vim.fn.stdpath("cache") --[[@as string]], "codeagent", "results")
  vim.fn.mkdir(folder, "p", tonumber("700", 8))
  local path =
    vim.fs.joinpath(folder, ("%s.%s"):format(vim.fn.sha256(bytes):sub(1, 16), EXTENSIONS[kind] or "bin"))
  local file = io.open(path, "wb")
  if not file then
    return nil, "it cannot be written to " .. folder
  end
  file:write(bytes)
  file:close()
  return path
end

---@class codeagent.Shown
---@field lines string[]
---@field folds string[]
---@field marks codeagent.Mark[]
local Shown = {}
Shown.__index = Shown

---@param content string
---@param is_folded? boolean
function Shown:add(content, is_folded)
  local lines = vim.split((content:gsub("\r\n", "\n")), "\n", { plain = true })
  vim.list_extend(self.lines, lines)
  vim.list_extend(self.folds, is_folded and json.folds(lines) or vim.tbl_map(function()
    return "0"
  end, lines))
end

---@param heading string
function Shown:head(heading)
  if #self.lines > 0 then
    self:add("")
  end
  self:add("── " .. heading .. " ──")
  self.marks[#self.marks + 1] = { #self.lines - 1, 0, -1, "CodeAgentGroup" }
end

--- Text of a tool: laid out where it is JSON, else as it is.
---@param content string
function Shown:body(content)
  local laid_out = json.layout(content)
  local shown = text.visible(laid_out or content)
  self:add(shown, laid_out ~= nil)
end

---@param block table
function Shown:block(block)
  local resource = type(block.resource) == "table" and block.resource or {}
  local kind = text.one_line(block.mimeType or resource.mimeType or block.type or "", 80)
  if type(block.text) == "string" then
    self:body(block.text)
  elseif block.data or resource.blob then
    local path, problem = saved(block)
    self:add(("[%s] %s"):format(kind, path or ("cannot be shown: %s"):format(problem)))
  elseif type(resource.text) == "string" then
    self:head(text.one_line(resource.uri or "resource"))
    self:body(resource.text)
  elseif block.type == "resource_link" then
    self:add(("@%s:%s"):format(text.one_line(self.server, 80), text.visible(block.uri or "")))
  else
    self:add(("[unsupported content: %s]"):format(kind))
  end
end

--- Whether the structured content says no more than the text does.
---@param result codeagent.CallResult
---@return boolean
local function is_said_already(result)
  local structured = result.structuredContent
  local ok, value = pcall(vim.json.decode, result.text, { luanil = { object = true } })
  if ok and vim.deep_equal(value, structured) then
    return true
  end
  local keys = type(structured) == "table" and vim.tbl_keys(structured) or {}
  local inner = #keys == 1 and structured.result or nil
  return inner ~= nil and (inner == result.text or (ok and vim.deep_equal(value, inner)))
end

--- A result as lines, with the folds and highlights of them.
---@param result codeagent.CallResult
---@return codeagent.Shown
function M.render(result)
  local shown = setmetatable({ lines = {}, folds = {}, marks = {}, server = result.server }, Shown)
  for index, block in ipairs(result.content or {}) do
    if index > 1 then
      shown:add("")
    end
    shown:block(type(block) == "table" and block or {})
  end
  if result.structuredContent ~= nil and not is_said_already(result) then
    shown:head("structured content")
    shown:add(text.visible(json.pretty(result.structuredContent)), true)
  end
  if #shown.lines == 0 then
    shown:add("(the tool answered nothing)")
  end
  return shown
end

--- For 'foldexpr'.
---@param line integer
---@return string
function M.fold(line)
  return (folds[vim.api.nvim_get_current_buf()] or {})[line] or "0"
end

---@param result codeagent.CallResult
---@return string
local function bar(result)
  local parts = { { result.tool, "CodeAgentTool" }, { result.server, "CodeAgentServer" } }
  local is_bad = result.isError
  table.insert(
    parts,
    { is_bad and "the tool reports an error" or "done", is_bad and "CodeAgentFailed" or "CodeAgentReady" }
  )
  table.insert(parts, { text.number(result.durationMs or 0) .. " ms", "CodeAgentMuted" })
  for _, warning in ipairs(result.warnings or {}) do
    table.insert(parts, { warning, "CodeAgentWarning" })
  end
  return ui.bar(parts, "D compares, q closes")
end

---@param window integer
local function set_folding(window)
  local wo = vim.wo[window][0]
  wo.foldmethod, wo.foldexpr = "expr", "v:lua.require'codeagent.result'.fold(v:lnum)"
  wo.foldlevel, wo.foldenable, wo.foldminlines = 1, true, 2
  wo.wrap, wo.conceallevel = true, 0
end

--- Opens the result of the run before beside the present one, and compares them.
---@param key string
local function compare(key)
  local before = (history[key] or {})[1]
  if not (history[key] and history[key][2] and before) then
    return vim.notify("codeagent: there is no earlier result of this tool.")
  end
  local buffer = ui.scratch(before, { name = ("codeagent://answer/%d/before"):format(count) })
  ui.map(buffer, "q", "<Cmd>close<CR>", "close")
  if vim.api.nvim_win_get_height(0) < 10 then
    vim.cmd.resize(10)
  end
  vim.cmd.diffthis()
  vim.cmd("leftabove vsplit")
  vim.api.nvim_win_set_buf(0, buffer)
  vim.wo[0][0].winbar = "%#CodeAgentMuted# the run before"
  vim.cmd.diffthis()
  vim.cmd.wincmd("p")
end

---@param result codeagent.CallResult
---@param key string
---@return integer buffer
local function prepare(result, key)
  local shown = M.render(result)
  history[key] = history[key] or {}
  table.insert(history[key], shown.lines)
  if #history[key] > 2 then
    table.remove(history[key], 1)
  end
  count = count + 1
  local name = result.tool:gsub("[^%w_.-]+", "_"):sub(1, 60)
  local buffer = ui.scratch(shown.lines, { name = ("codeagent://answer/%d/%s"):format(count, name) })
  ui.paint(buffer, shown.marks)
  folds[buffer] = shown.folds
  vim.b[buffer].codeagent_result = key
  vim.api.nvim_create_autocmd("BufWipeout", {
    buffer = buffer,
    callback = function()
      folds[buffer] = nil
    end,
  })
  require("codeagent.documents").map(buffer)
  ui.map(buffer, "D", function()
    compare(key)
  end, "compare with the run before")
  ui.map(buffer, "q", "<Cmd>close<CR>", "close")
  return buffer
end

--- The window of a result that is shown: of the same tool if there is one, else of any.
---@param key string
---@return integer?
local function window_of(key)
  local other
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local shown = vim.b[vim.api.nvim_win_get_buf(window)].codeagent_result
    if shown == key and not vim.wo[window].diff then
      return window
    elseif shown and not vim.wo[window].diff then
      other = other or window
    end
  end
  return other
end

--- Shows a result, in the window of the last one if that is still there. The cursor stays.
---@param result codeagent.CallResult
function M.show(result)
  local key = result.server .. "\0" .. result.tool
  local buffer = prepare(result, key)
  local window = window_of(key)
  if window then
    vim.api.nvim_win_set_buf(window, buffer)
  else
    local before = vim.api.nvim_get_current_win()
    local kind = require("codeagent.config").get().result
    local height = math.max(3, math.min(#vim.api.nvim_buf_get_lines(buffer, 0, -1, false) + 1, 20))
    window = ui.open(buffer, kind, { title = "Result", height = height })
    if kind == "split" or kind == "vsplit" then
      vim.api.nvim_set_current_win(before)
    end
  end
  set_folding(window)
  vim.wo[window][0].winbar = bar(result)
end

return M
