--- The panel: one window with every server and what it offers, kept up to date without moving the cursor.
local client = require("codeagent.client")
local state = require("codeagent.state")
local tree = require("codeagent.tree")
local ui = require("codeagent.ui")
local view_of_panel = require("codeagent.panel_view")

local M = {}

---@class codeagent.Panel
---@field buffer integer
---@field window integer
---@field drawn codeagent.Drawn
---@field stop fun()

local panel ---@type codeagent.Panel?
local open = {} ---@type table<string, boolean>
local lists = {} ---@type table<string, codeagent.Lists>
local loading = {} ---@type table<string, boolean>
local is_due = false

--- The panel that is open.
---@return codeagent.Panel?
function M.current()
  if panel and vim.api.nvim_buf_is_valid(panel.buffer) and vim.api.nvim_win_is_valid(panel.window) then
    return panel
  end
  return nil
end

---@return codeagent.Model
local function model()
  return {
    servers = state.list(),
    lists = lists,
    open = open,
    icons = require("codeagent.config").has_icons(),
    host = state.host,
    width = panel and vim.api.nvim_win_get_width(panel.window) or nil,
  }
end

---@param drawn codeagent.Drawn
---@param line integer
---@return string?
local function id_at(drawn, line)
  local node = drawn.nodes[line]
  return node and node.id
end

---@param drawn codeagent.Drawn
---@param id? string
---@return integer?
local function line_of(drawn, id)
  for line = 1, id and #drawn.lines or 0 do
    if id_at(drawn, line) == id then
      return line
    end
  end
  return nil
end

--- Draws the panel anew; the cursor stays on the thing that it is on.
function M.draw()
  local view = M.current()
  if not view then
    return
  end
  local drawn = tree.draw(model())
  local places = {} ---@type { window: integer, id: string?, view: table, line: integer }[]
  for _, window in ipairs(vim.fn.win_findbuf(view.buffer)) do
    local saved = vim.api.nvim_win_call(window, vim.fn.winsaveview)
    places[#places + 1] =
      { window = window, id = id_at(view.drawn, saved.lnum), view = saved, line = saved.lnum }
  end
  ui.replace(view.buffer, drawn.lines, view.drawn.lines)
  view.drawn = drawn
  for _, place in ipairs(places) do
    local line = line_of(drawn, place.id) or math.min(place.line, #drawn.lines)
    if place.view.topline > 1 then -- else everything fits, and what is new above shall be seen
      place.view.topline = math.max(1, place.view.topline + line - place.line)
    end
    place.view.lnum = line
    vim.api.nvim_win_call(place.window, function()
      vim.fn.winrestview(place.view)
    end)
    vim.wo[place.window][0].winbar = view_of_panel.bar()
  end
end

--- Draws soon: a burst of changes is one drawing.
function M.draw_soon()
  if not is_due and M.current() then
    is_due = true
    vim.defer_fn(function()
      is_due = false
      M.draw()
    end, 30)
  end
end

local ASKED = {
  tools = { "listTools", { "tools" } },
  resources = { "listResources", { "resources", "templates" } },
  prompts = { "listPrompts", { "prompts" } },
}

--- Asks for what a group holds.
---@param server string
---@param group string
local function load(server, group)
  local key = server .. "\0" .. group
  if loading[key] then
    return
  end
  loading[key] = true
  local command, fields = ASKED[group][1], ASKED[group][2]
  local params = { server = server, waitMs = 0, includeDisabled = group == "tools" or nil }
  client.execute(command, params, nil, function(failure, result)
    loading[key] = nil
    local kept = lists[server] or {}
    lists[server] = kept
    for _, field in ipairs(fields) do
      kept[field] = failure and {} or result[field]
    end
    if group == "tools" and not failure then
      kept.tools = vim.tbl_filter(function(tool)
        return tool.kind == "tool"
      end, kept.tools)
    end
    M.draw_soon()
  end)
end

--- Opens or closes a node.
---@param node codeagent.Node
---@param is_open boolean
function M.fold(node, is_open)
  if not node.can_fold then
    return
  end
  open[node.id] = is_open or nil
  if is_open and node.kind == "server" and node.item.state == "ready" then
    open[node.server .. "\0Tools"] = true
    load(node.server, "tools")
  elseif is_open and node.kind == "group" and not (lists[node.server] or {})[node.group] then
    load(node.server, node.group)
  end
  M.draw()
end

--- Opens or closes everything.
---@param is_open boolean
function M.fold_all(is_open)
  open = {}
  for _, status in ipairs(is_open and state.list() or {}) do
    open[status.server] = true
    for name, group in pairs({ Tools = "tools", Resources = "resources", Prompts = "prompts" }) do
      open[status.server .. "\0" .. name] = true
      if status.state == "ready" and not (lists[status.server] or {})[group] then
        load(status.server, group)
      end
    end
  end
  M.draw()
end

--- The node under the cursor, or the nearest one above.
---@return codeagent.Node?
function M.node()
  local view = M.current()
  if not view then
    return nil
  end
  for line = vim.api.nvim_win_get_cursor(view.window)[1], 1, -1 do
    local node = view.drawn.nodes[line]
    if node and node.kind ~= "detail" then
      return node
    end
  end
  return nil
end

--- Puts the cursor on a node.
---@param id? string
function M.go(id)
  local view = M.current()
  local line = view and line_of(view.drawn, id)
  if view and line then
    vim.api.nvim_win_set_cursor(view.window, { line, 0 })
  end
end

--- To the next server, or the one before.
---@param step integer
function M.jump(step)
  local view = M.current()
  local line = view and vim.api.nvim_win_get_cursor(view.window)[1] + step or 0
  while view and line >= 1 and line <= #view.drawn.lines do
    local node = view.drawn.nodes[line]
    if node and node.kind == "server" then
      return vim.api.nvim_win_set_cursor(view.window, { line, 0 })
    end
    line = line + step
  end
end

local GROUPS = {
  CodeAgentToolsChanged = "tools",
  CodeAgentResourcesChanged = "resources",
  CodeAgentPromptsChanged = "prompts",
}

---@param event string
---@param data any
local function on_event(event, data)
  local group = GROUPS[event]
  if group and (lists[data.server] or {})[group] then
    load(data.server, group)
  elseif event == "CodeAgentStatus" and state.host ~= "on" then
    lists = {}
  end
  M.draw_soon()
end

local function close()
  local view = panel
  panel = nil
  if view then
    view.stop()
  end
end

--- Opens the panel, or goes to it.
---@param other? boolean a split where a float is usual, and the other way round
function M.open(other)
  local shown = M.current()
  if shown then
    return vim.api.nvim_set_current_win(shown.window)
  end
  local kind = require("codeagent.config").get().panel
  if other then
    kind = kind == "float" and "split" or "float"
  end
  local buffer = ui.scratch({ "" }, { filetype = "codeagent" })
  pcall(vim.api.nvim_buf_set_name, buffer, "codeagent://panel")
  local width, height = math.min(100, vim.o.columns - 8), math.floor(vim.o.lines * 0.7)
  local window = ui.open(buffer, kind, { title = "CodeAgent", width = width, height = height })
  local wo = vim.wo[window][0]
  wo.cursorline, wo.wrap, wo.number, wo.relativenumber, wo.signcolumn = true, false, false, false, "no"
  wo.foldenable, wo.list, wo.spell = false, false, false
  panel = {
    buffer = buffer,
    window = window,
    drawn = { lines = { "" }, nodes = {}, marks = {} },
    stop = state.subscribe(on_event),
  }
  require("codeagent.panel_keys").map(buffer)
  vim.api.nvim_create_autocmd("BufWipeout", { buffer = buffer, once = true, callback = close })
  view_of_panel.paint(function()
    return panel
  end)
  M.draw()
  M.refresh()
end

--- Asks for the state of everything, and starts the language server if it has to.
---@param reload? boolean read the config files again as well
function M.refresh(reload)
  if reload then
    for server in pairs(lists) do
      for group in pairs(ASKED) do
        if lists[server][group] then
          load(server, group)
        end
      end
    end
  end
  client.execute(reload and "reload" or "status", {}, nil, function(failure, status)
    if failure then
      client.tell(failure)
    else
      state.take(status)
    end
    M.draw_soon()
  end)
end

return M
