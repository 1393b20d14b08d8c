--- The panel's keys: one table, which drives the mappings, the window that `?` opens, and the help.
local client = require("codeagent.client")
local panel = require("codeagent.panel")
local text = require("codeagent.text")
local ui = require("codeagent.ui")

local M = {}

---@param action fun(node: codeagent.Node)
---@param kinds? string
---@return fun()
local function on_node(action, kinds)
  return function()
    local node = panel.node()
    if node and (not kinds or (" " .. kinds .. " "):find(" " .. node.kind .. " ", 1, true)) then
      action(node)
    end
  end
end

--- Something that opens in a window of its own: the float makes way for it.
---@param action fun()
local function aside(action)
  local view = panel.current()
  if view and vim.api.nvim_win_get_config(view.window).relative ~= "" then
    ui.close(view.window)
  end
  action()
end

---@param node codeagent.Node
local function activate(node)
  if node.kind == "tool" then
    aside(function()
      require("codeagent.call").open(node.item)
    end)
  elseif node.kind == "resource" then
    aside(function()
      require("codeagent.documents").open(node.item)
    end)
  elseif node.kind == "template" then
    aside(function()
      require("codeagent.picker").fill_template(node.server, node.item.uriTemplate, function(uri)
        require("codeagent.documents").open({ server = node.server, uri = uri })
      end)
    end)
  elseif node.kind == "prompt" then
    aside(function()
      local picker = require("codeagent.picker")
      picker.fill_prompt(node.item, picker.show_prompt)
    end)
  else
    local view = panel.current()
    panel.fold(node, not (view and view.drawn.lines[vim.api.nvim_win_get_cursor(view.window)[1]]:find("▾")))
  end
end

---@param node codeagent.Node
local function collapse(node)
  local view = panel.current()
  local line = view and view.drawn.lines[vim.api.nvim_win_get_cursor(view.window)[1]] or ""
  if node.can_fold and line:find("▾", 1, true) then
    return panel.fold(node, false)
  end
  panel.go(node.parent)
end

---@param command string
---@return fun(node: codeagent.Node)
local function run(command)
  return function(node)
    client.execute(command, { server = node.server }, nil, function(failure)
      if failure then
        client.tell(failure)
      end
    end)
  end
end

---@param node codeagent.Node
local function toggle_enabled(node)
  local actions, status = require("codeagent.actions"), require("codeagent.state").servers[node.server]
  if node.kind == "tool" then
    actions.set_enabled(node.server, node.item.tool, not node.item.enabled)
  elseif status then
    actions.set_enabled(node.server, nil, status.state == "disabled")
  end
end

---@param node codeagent.Node
---@return any
local function raw(node)
  return node.kind == "group" and require("codeagent.state").servers[node.server] or node.item
end

---@param node codeagent.Node
local function inspect(node)
  local lines = text.lines(require("codeagent.json").pretty(raw(node)))
  local buffer = ui.scratch(lines, { filetype = "json" })
  ui.float(buffer, { title = "Everything that is known of it", width = 90, height = #lines })
  ui.map(buffer, { "q", "<Esc>" }, "<Cmd>close<CR>", "close")
end

---@param node codeagent.Node
local function yank(node)
  local item = node.item or {}
  local said = item.mention
    or (node.kind == "tool" and item.name)
    or item.uriTemplate
    or item.name
    or node.server
  vim.fn.setreg('"', said)
  vim.notify("codeagent: yanked " .. text.one_line(said))
end

local function help()
  local lines, marks = {}, {}
  for _, key in ipairs(M.keys) do
    lines[#lines + 1] = ("  %-18s %s"):format(key.keys, key.desc)
    marks[#marks + 1] = { #lines - 1, 2, 2 + #key.keys, "CodeAgentKey" }
  end
  local buffer = ui.scratch(lines)
  ui.paint(buffer, marks)
  ui.float(
    buffer,
    { title = "Keys of the panel", footer = "q closes", width = 84, height = #lines, zindex = 120 }
  )
  ui.map(buffer, { "q", "<Esc>", "?" }, "<Cmd>close<CR>", "close")
end

---@type { keys: string, desc: string, run: fun() }[]
M.keys = {
  {
    keys = "<CR> o",
    desc = "run the tool, open the resource, fill the prompt in; unfold",
    run = on_node(activate),
  },
  {
    keys = "l zo",
    desc = "unfold",
    run = on_node(function(node)
      panel.fold(node, true)
    end),
  },
  { keys = "h zc", desc = "fold, or go up", run = on_node(collapse) },
  {
    keys = "<Tab> za",
    desc = "unfold or fold",
    run = on_node(function(node)
      local view = panel.current()
      local line = view and vim.api.nvim_get_current_line() or ""
      panel.fold(node, not line:find("▾", 1, true))
    end),
  },
  {
    keys = "zR",
    desc = "unfold everything",
    run = function()
      panel.fold_all(true)
    end,
  },
  {
    keys = "zM",
    desc = "fold everything",
    run = function()
      panel.fold_all(false)
    end,
  },
  {
    keys = "]] [[",
    desc = "the next server, the one before",
    run = function()
      panel.jump(1)
    end,
  },
  { keys = "K", desc = "everything that is known of it", run = on_node(inspect) },
  {
    keys = "t",
    desc = "switch the server or the tool on or off in this workspace",
    run = on_node(toggle_enabled),
  },
  { keys = "s", desc = "start the server", run = on_node(run("start")) },
  { keys = "x", desc = "stop the server", run = on_node(run("stop")) },
  { keys = "R", desc = "restart the server", run = on_node(run("restart")) },
  {
    keys = "a",
    desc = "ask whether the server may start",
    run = on_node(function(node)
      local status = require("codeagent.state").servers[node.server]
      if require("codeagent.questions").count() > 0 then
        require("codeagent.questions").focus()
      elseif status and status.state == "untrusted" then
        require("codeagent.approvals").ask_to_start(status)
      end
    end),
  },
  {
    keys = "A",
    desc = "your standing decisions",
    run = function()
      require("codeagent.approvals").list({}, { bang = false, rest = "" })
    end,
  },
  { keys = "i", desc = "sign in to the server", run = on_node(run("signIn")) },
  {
    keys = "L",
    desc = "the server's log",
    run = on_node(function(node)
      aside(function()
        require("codeagent.log").open(node.server)
      end)
    end),
  },
  {
    keys = "e",
    desc = "the server's entry in its config file",
    run = on_node(function(node)
      aside(function()
        require("codeagent.config_file").open(node.server)
      end)
    end),
  },
  {
    keys = "C",
    desc = "the config files",
    run = function()
      aside(function()
        require("codeagent.config_file").open()
      end)
    end,
  },
  { keys = "y", desc = "yank the tool's full name, or the resource's mention", run = on_node(yank) },
  {
    keys = "r",
    desc = "read the config files again",
    run = function()
      panel.refresh(true)
    end,
  },
  { keys = "?", desc = "this list", run = help },
  {
    keys = "q <Esc>",
    desc = "close",
    run = function()
      local view = panel.current()
      ui.close(view and view.window)
    end,
  },
}

--- Maps the keys in the panel's buffer; a click on an arrow folds, a double click is `<CR>`.
---@param buffer integer
function M.map(buffer)
  for _, key in ipairs(M.keys) do
    if key.keys == "]] [[" then
      ui.map(buffer, "]]", key.run, key.desc)
      ui.map(buffer, "[[", function()
        panel.jump(-1)
      end, key.desc)
    else
      ui.map(buffer, vim.split(key.keys, " "), key.run, key.desc)
    end
  end
  ui.map(buffer, "<2-LeftMouse>", on_node(activate), "as <CR>")
  ui.map(buffer, "<LeftRelease>", function()
    local place = vim.fn.getmousepos()
    local view = panel.current()
    if not view or place.winid ~= view.window then
      return
    end
    local before = (view.drawn.lines[place.line] or ""):sub(1, math.max(0, place.column + 2))
    local node = view.drawn.nodes[place.line]
    if
      node
      and node.can_fold
      and before:find("^%s*[▸▾]")
      and place.column <= #before:match("^%s*") + 3
    then
      panel.fold(node, before:find("▸", 1, true) ~= nil)
    end
  end, "fold by a click on the arrow")
end

return M
