--- Questions as plain text: a headline that is ours, then everything there is to know, each word of others behind a
--- margin. Nothing is cut, and no text of a server can pass for a line of ours.
local text = require("codeagent.text")

local M = {}

M.margin = "  │ "

---@class codeagent.Page
---@field lines string[]
---@field marks codeagent.Mark[]

M.capabilities = {
  read = "only reads",
  network = "reads from the network",
  write = "writes",
  destructive = "may destroy data",
  unknown = "has an unknown effect",
}

---@class codeagent.Writer
---@field width integer
---@field lines string[]
---@field marks codeagent.Mark[]
local Writer = {}
Writer.__index = Writer

---@param width integer
---@return codeagent.Writer
function M.writer(width)
  return setmetatable({ width = width, lines = {}, marks = {} }, Writer)
end

--- A line of ours; one that is too long goes on below.
---@param line string
---@param group? string
function Writer:say(line, group)
  for index, piece in ipairs(line == "" and { "" } or text.quoted(line, self.width, "")) do
    self.lines[#self.lines + 1] = index == 1 and piece or piece:gsub("^↪", " ")
    if group and piece ~= "" then
      self.marks[#self.marks + 1] = { #self.lines - 1, 0, -1, group }
    end
  end
end

--- An empty line, unless there is one already.
function Writer:gap()
  if #self.lines > 0 and self.lines[#self.lines] ~= "" then
    self.lines[#self.lines + 1] = ""
  end
end

--- What others wrote.
---@param value any
---@param group? string
function Writer:quote(value, group)
  for _, line in ipairs(text.quoted(value, self.width, M.margin)) do
    self.lines[#self.lines + 1] = line
    local row = #self.lines - 1
    self.marks[#self.marks + 1] = { row, 0, #M.margin, "CodeAgentMargin" }
    self.marks[#self.marks + 1] = { row, #M.margin, -1, group or "CodeAgentQuoted" }
  end
end

--- A heading of ours with texts of others below; nothing where there are none.
---@param title string
---@param values? any[]
---@param group? string of the heading
function Writer:section(title, values, group)
  if values and #values > 0 then
    self:say(title, group or "CodeAgentGroup")
    for _, value in ipairs(values) do
      self:quote(value)
    end
  end
end

---@param values? codeagent.NamedValue[]
---@param between string
---@return string[]
local function named(values, between)
  return vim.tbl_map(function(item)
    return item.name .. between .. item.value
  end, values or {})
end

---@param writer codeagent.Writer
---@param params { warnings: string[], changed?: codeagent.FieldChange[] }
local function alarms(writer, params)
  if #(params.warnings or {}) > 0 then
    writer:section("Warning", params.warnings, "CodeAgentWarning")
    writer:gap()
  end
  if #(params.changed or {}) > 0 then
    writer:say("Changed since you approved it", "CodeAgentWarning")
    for _, change in ipairs(params.changed) do
      writer:quote(change.field)
      for _, line in ipairs(text.lines(change.before)) do
        writer:quote("− " .. line, "CodeAgentRemoved")
      end
      for _, line in ipairs(text.lines(change.after)) do
        writer:quote("+ " .. line, "CodeAgentAdded")
      end
    end
    writer:gap()
  end
end

---@param value? string
---@return string[]
local function given(value)
  return value and { value } or {}
end

--- May this server start?
---@param params codeagent.ApproveServerParams
---@param width integer
---@return codeagent.Page
function M.server(params, width)
  local writer = M.writer(width)
  local verb = params.transport == "stdio" and "start" or "be connected"
  local headline = "May the MCP server “%s” of this workspace %s?"
  writer:say(headline:format(text.one_line(params.server, 80), verb), "CodeAgentTitle")
  writer:gap()
  alarms(writer, params)
  local arguments, written = {}, (params.argv or {})[1]
  for index, argument in ipairs(params.argv or {}) do
    if index > 1 then
      arguments[#arguments + 1] = ("%d. %s"):format(index - 1, argument == "" and "(empty)" or argument)
    end
  end
  writer:section("Runs", given(params.resolvedCommand))
  writer:section("Written as", written ~= params.resolvedCommand and given(written) or {})
  writer:section("With the arguments", arguments)
  writer:section("Connects to", given(params.url))
  writer:section("Headers", named(params.headers, ": "))
  writer:section("In the folder", given(params.cwd))
  writer:section("With the variables", named(params.env, "="))
  writer:section("Files of this workspace that it runs", params.files)
  writer:section(
    "Declared in",
    { vim.startswith(params.configUri, "file:") and vim.uri_to_fname(params.configUri) or params.configUri }
  )
  return writer
end

--- May this call run?
---@param params codeagent.ApproveCallParams
---@param width integer
---@return codeagent.Page
function M.call(params, width)
  local writer = M.writer(width)
  local headline = "May the tool “%s” of the MCP server “%s” run?"
  writer:say(
    headline:format(text.one_line(params.tool, 80), text.one_line(params.server, 80)),
    "CodeAgentTitle"
  )
  local effect = M.capabilities[params.capability] or M.capabilities.unknown
  local is_bad = params.capability == "destructive"
  writer:say(("As far as can be told, it %s."):format(effect), is_bad and "CodeAgentDanger" or nil)
  writer:gap()
  alarms(writer, params)
  writer:section(
    "With the arguments",
    { require("codeagent.json").pretty(params.arguments or vim.empty_dict()) }
  )
  local said = params.title and params.title ~= params.tool and { params.title } or {}
  said[#said + 1] = params.description ~= "" and params.description or "(nothing)"
  writer:section("The server says about it", said)
  return writer
end

--- Shall this page be opened?
---@param params codeagent.ElicitParams
---@param target codeagent.Target
---@param width integer
---@return codeagent.Page
function M.url(params, target, width)
  local writer = M.writer(width)
  local headline = "The MCP server “%s” asks you to open a page of %s."
  writer:say(headline:format(text.one_line(params.server, 80), target.host), "CodeAgentTitle")
  writer:gap()
  if target.punycode then
    writer:say("The name of this site has letters that can look like others.", "CodeAgentWarning")
    writer:gap()
  end
  writer:section("The whole address", { target.href })
  writer:section("The server says", { params.message ~= "" and params.message or "(nothing)" })
  return writer
end

return M
