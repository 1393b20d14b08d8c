--- The panel as text: a tree of servers, their tools, resources and prompts, with what is folded left out.
local look = require("codeagent.look")
local text = require("codeagent.text")

local M = {}

---@class codeagent.Node
---@field id string the same for the same thing, whatever happens around it
---@field kind "server"|"group"|"tool"|"resource"|"template"|"prompt"|"detail"
---@field server string
---@field item? any
---@field group? string
---@field parent? string
---@field depth integer
---@field can_fold boolean

---@class codeagent.Lists
---@field tools? codeagent.Tool[]
---@field resources? codeagent.Resource[]
---@field templates? codeagent.ResourceTemplate[]
---@field prompts? codeagent.Prompt[]

---@class codeagent.Model
---@field servers codeagent.ServerStatus[]
---@field lists table<string, codeagent.Lists>
---@field open table<string, boolean>
---@field icons boolean
---@field host string
---@field width? integer columns of the window, for long details

---@alias codeagent.Piece { [1]: integer, [2]: integer, [3]: string } first byte, byte behind the last, highlight group

---@class codeagent.Drawn
---@field lines string[]
---@field nodes table<integer, codeagent.Node> by line, from one
---@field marks table<integer, codeagent.Piece[]> by line, from one

---@class codeagent.Drawing : codeagent.Drawn
---@field count integer
---@field model codeagent.Model
local Drawing = {}
Drawing.__index = Drawing

---@param node? codeagent.Node
---@param chunks [string, string?][]
function Drawing:line(node, chunks)
  local parts, pieces, column = {}, {}, 0
  for _, chunk in ipairs(chunks) do
    parts[#parts + 1] = chunk[1]
    if chunk[2] and chunk[1] ~= "" then
      pieces[#pieces + 1] = { column, column + #chunk[1], chunk[2] }
    end
    column = column + #chunk[1]
  end
  self:put({ line = table.concat(parts), node = node, pieces = pieces })
end

---@class codeagent.Ready
---@field line string
---@field node? codeagent.Node
---@field pieces codeagent.Piece[]

---@param ready codeagent.Ready
function Drawing:put(ready)
  local line = self.count + 1
  self.count = line
  self.lines[line], self.nodes[line], self.marks[line] = ready.line, ready.node, ready.pieces
end

--- What was drawn of a tool last time; a tool is the same table until its server's tools are read again.
local ready_tools = setmetatable({}, { __mode = "k" }) ---@type table<codeagent.Tool, codeagent.Ready>

---@param node codeagent.Node
---@return string
function Drawing:arrow(node)
  return not node.can_fold and "  " or self.model.open[node.id] and "▾ " or "▸ "
end

---@param server string
---@param parent string
---@param depth integer
---@param value any
---@param group? string
---@param margin? string before what a server wrote
function Drawing:details(server, parent, depth, value, group, margin)
  local indent = ("  "):rep(depth) .. "  " .. (margin or "")
  for index, line in ipairs(text.quoted(value, self.model.width or 1000, indent)) do
    local id = ("%s\0%d\0%d"):format(parent, #self.lines, index)
    local node =
      { id = id, kind = "detail", server = server, parent = parent, depth = depth, can_fold = false }
    self:line(node, { { indent }, { line:sub(#indent + 1), group or "CodeAgentMuted" } })
  end
end

---@param tool codeagent.Tool
---@param parent string
function Drawing:tool(tool, parent)
  local known = not self.model.icons and ready_tools[tool]
  if known and not self.model.open[known.node.id] then
    return self:put(known)
  end
  local id = parent .. "\0" .. tool.tool .. "\0" .. tool.kind
  local node =
    { id = id, kind = "tool", server = tool.server, item = tool, parent = parent, depth = 2, can_fold = true }
  local effect = look.effects[tool.capability] or look.effects.unknown
  local name = text.one_line(tool.tool, 48)
  local gap = (" "):rep(math.max(2, 26 - vim.fn.strdisplaywidth(name)))
  local label = ("%-10s"):format(tool.enabled and effect[1] or "off")
  local about = text.one_line((tool.title and tool.title ~= "" and tool.title or tool.description) or "", 160)
  self:line(node, {
    { "    " .. self:arrow(node) },
    {
      (self.model.icons and look.icons.tool or "") .. name,
      tool.enabled and "CodeAgentTool" or "CodeAgentOff",
    },
    { gap },
    { label, tool.enabled and effect[2] or "CodeAgentOff" },
    { about, "CodeAgentMuted" },
  })
  if not self.model.open[id] then
    ready_tools[tool] = { line = self.lines[self.count], node = node, pieces = self.marks[self.count] }
    return
  end
  if tool.description ~= "" then
    self:details(tool.server, id, 3, text.visible(tool.description, 2000), nil, "│ ")
  end
  local schema = require("codeagent.schema")
  local names, required = schema.names(tool.inputSchema or {})
  for _, argument in ipairs(names) do
    local property = schema.property(tool.inputSchema, argument)
    local said = type(property.description) == "string" and "  " .. text.one_line(property.description, 160)
      or ""
    local kind = type(property.type) == "string" and property.type or "any"
    local line = ("%s%s: %s%s"):format(
      text.one_line(argument, 60),
      required[argument] and "*" or "",
      kind,
      said
    )
    self:details(tool.server, id, 3, line)
  end
end

---@param item any
---@param kind "resource"|"template"|"prompt"
---@param parent string
function Drawing:item(item, kind, parent)
  local name = item.uri or item.uriTemplate or item.name
  local node = { id = parent .. "\0" .. kind .. "\0" .. name, kind = kind, server = item.server, item = item }
  node.parent, node.depth, node.can_fold = parent, 2, false
  local about = text.one_line(item.title or item.description or (item.name ~= name and item.name) or "", 160)
  local shown = text.one_line(name, 100)
  if kind == "prompt" and #item.arguments > 0 then
    local arguments = vim.tbl_map(function(argument)
      return text.one_line(argument.name, 40) .. (argument.required and "" or "?")
    end, item.arguments)
    shown = ("%s(%s)"):format(shown, table.concat(arguments, ", "))
  end
  self:line(node, {
    { "    " .. self:arrow(node) },
    {
      (self.model.icons and look.icons[kind] or "") .. shown,
      kind == "prompt" and "CodeAgentPrompt" or "CodeAgentResource",
    },
    { (" "):rep(math.max(2, 36 - vim.fn.strdisplaywidth(shown))) },
    { about, "CodeAgentMuted" },
  })
end

---@param status codeagent.ServerStatus
---@param name string
---@param count integer
---@param list? any[]
---@param draw fun(item: any, parent: string)
function Drawing:group(status, name, count, list, draw)
  local problem = (status.listErrors or {})[name:lower()]
  if count == 0 and not problem then
    return
  end
  local id = status.server .. "\0" .. name
  local node = {
    id = id,
    kind = "group",
    group = name:lower(),
    server = status.server,
    parent = status.server,
    depth = 1,
  }
  node.can_fold = true
  self:line(node, {
    { "  " .. self:arrow(node) },
    { name, "CodeAgentGroup" },
    { " " .. text.number(count), "CodeAgentMuted" },
    { problem and "  " .. text.one_line(problem) or "", "CodeAgentFailed" },
  })
  if not self.model.open[id] then
    return
  elseif not list then
    return self:details(status.server, id, 2, "…")
  end
  for _, item in ipairs(list) do
    draw(item, id)
  end
end

---@param status codeagent.ServerStatus
function Drawing:trouble(status)
  local failure = status.error
  if status.state == "untrusted" then
    self:details(
      status.server,
      status.server,
      1,
      "a shows what it would start, and asks whether it may",
      "CodeAgentWaiting"
    )
  elseif status.state == "needsAuth" then
    self:details(status.server, status.server, 1, "i signs in", "CodeAgentWaiting")
  end
  if not failure then
    return
  end
  self:details(
    status.server,
    status.server,
    1,
    look.without_server(failure.message, status.server),
    "CodeAgentFailed"
  )
  if failure.hint then
    self:details(status.server, status.server, 1, failure.hint)
  end
  for _, line in ipairs(failure.stderrTail or {}) do
    self:details(status.server, status.server, 1, text.visible(line, 500), nil, "│ ")
  end
end

---@param status codeagent.ServerStatus
function Drawing:server(status)
  local node =
    { id = status.server, kind = "server", server = status.server, item = status, depth = 0, can_fold = true }
  local name = text.one_line(status.server, 48)
  self:line(node, {
    { self:arrow(node) },
    { look.sign(status.state, self.model.icons) .. " ", look.group(status.state) },
    { name, status.state == "disabled" and "CodeAgentOff" or "CodeAgentServer" },
    { (" "):rep(math.max(2, 18 - vim.fn.strdisplaywidth(name))) },
    { look.detail(status), "CodeAgentMuted" },
  })
  if not self.model.open[status.server] then
    return
  end
  self:trouble(status)
  local lists = self.model.lists[status.server] or {}
  self:group(status, "Tools", status.tools, lists.tools, function(tool, parent)
    self:tool(tool, parent)
  end)
  local resources = lists.resources
    and vim.list_extend(vim.list_slice(lists.resources), lists.templates or {})
  self:group(
    status,
    "Resources",
    status.resources + status.resourceTemplates,
    resources,
    function(item, parent)
      self:item(item, item.uri and "resource" or "template", parent)
    end
  )
  self:group(status, "Prompts", status.prompts, lists.prompts, function(item, parent)
    self:item(item, "prompt", parent)
  end)
end

--- Draws the tree.
---@param model codeagent.Model
---@return codeagent.Drawn
function M.draw(model)
  local drawing = setmetatable({ lines = {}, nodes = {}, marks = {}, count = 0, model = model }, Drawing)
  local said = look.nothing(model.host, #model.servers)
  if said then
    drawing:line(nil, { { "  " .. said, "CodeAgentMuted" } })
  end
  for _, status in ipairs(model.servers) do
    drawing:server(status)
  end
  return drawing
end

return M
