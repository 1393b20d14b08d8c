--- What the subcommands do. What is missing is asked for; what goes wrong is told.
local client = require("codeagent.client")
local look = require("codeagent.look")
local picker = require("codeagent.picker")
local state = require("codeagent.state")
local text = require("codeagent.text")

local M = {}

---@class codeagent.Context
---@field bang boolean
---@field rest string

---@param context codeagent.Context
function M.panel(_, context)
  require("codeagent.panel").open(context.bang)
end

---@param status codeagent.ServerStatus
---@return [string, string][]
local function status_line(status)
  local detail = look.detail(status)
  return {
    { look.sign(status.state) .. " ", look.group(status.state) },
    { text.one_line(status.server, 60), "CodeAgentServer" },
    { "  " .. detail .. "\n", "CodeAgentMuted" },
  }
end

function M.status()
  require("codeagent.ui").highlight()
  state.refresh(function()
    local servers = state.list()
    if #servers == 0 then
      return vim.notify("codeagent: no server is configured. `:CodeAgent config` opens the file.")
    end
    local chunks = {}
    for _, status in ipairs(servers) do
      vim.list_extend(chunks, status_line(status))
    end
    chunks[#chunks][1] = chunks[#chunks][1]:gsub("\n$", "")
    vim.api.nvim_echo(chunks, false, {})
  end)
end

---@param context codeagent.Context
function M.tools(words, context)
  picker.tool(words[1], require("codeagent.call").open, context.bang)
end

---@param context codeagent.Context
function M.call(words, context)
  local call, schema = require("codeagent.call"), require("codeagent.schema")
  local function with(tool)
    local typed = vim.trim(context.rest:gsub("^%S+", "", 1))
    if typed ~= "" then
      local arguments, problem = require("codeagent.json").arguments(typed)
      if not arguments then
        return vim.notify("codeagent: " .. problem, vim.log.levels.ERROR)
      end
      return call.run(tool, arguments)
    elseif context.bang or #schema.names(tool.inputSchema or {}) == 0 then
      return call.run(tool, schema.arguments(tool.inputSchema))
    end
    call.open(tool)
  end
  if words[1] then
    return picker.tool_named(words[1], with)
  end
  picker.tool(nil, with)
end

---@param context codeagent.Context
function M.read(_, context)
  local documents = require("codeagent.documents")
  local function with(resource)
    if context.bang then
      return documents.save({ server = resource.server, uri = resource.uri, mention = resource.mention })
    end
    documents.open(resource)
  end
  if context.rest ~= "" then
    local mention = context.rest:find("^@") and context.rest or "@" .. context.rest
    return with({ mention = mention })
  end
  picker.resource(nil, function(resource)
    with({ server = resource.server, uri = resource.uri, documentUri = resource.documentUri })
  end)
end

---@param context codeagent.Context
function M.resources(words, context)
  local documents = require("codeagent.documents")
  picker.resource(words[1], function(resource)
    if context.bang then
      return documents.save({ server = resource.server, uri = resource.uri })
    end
    documents.open(resource)
  end)
end

---@param context codeagent.Context
function M.prompt(_, context)
  local buffer, name = vim.api.nvim_get_current_buf(), context.rest ~= "" and context.rest or nil
  picker.prompt(name, function(filled, prompt)
    if context.bang and vim.bo[buffer].modifiable then
      return vim.api.nvim_put(text.lines(filled.text), "l", true, true)
    end
    picker.show_prompt(filled, prompt)
  end)
end

---@param context codeagent.Context
function M.log(words, context)
  local log = require("codeagent.log")
  if words[1] or context.bang then
    return log.open(not context.bang and words[1] or nil)
  end
  picker.server("Log of: ", function(status)
    log.open(status.server)
  end)
end

---@param command string
---@param prompt string
---@param done string
---@param fits? fun(status: codeagent.ServerStatus): boolean
local function for_server(command, prompt, done, fits)
  local function run(server)
    client.execute(command, { server = server }, nil, function(failure, status)
      if failure then
        return client.tell(failure)
      end
      local said = ("codeagent: %s %s: %s"):format(done, text.one_line(server, 60), look.words[status.state])
      vim.notify(status.error and ("%s — %s"):format(said, text.one_line(status.error.message)) or said)
    end)
  end
  return function(words, context)
    if context.bang then
      return state.refresh(function()
        for _, status in ipairs(state.list()) do
          run(status.server)
        end
      end)
    elseif words[1] then
      return run(words[1])
    end
    picker.server(prompt, function(status)
      run(status.server)
    end, fits)
  end
end

M.start = for_server("start", "Start: ", "started", function(status)
  return status.state ~= "ready" and status.state ~= "starting"
end)
M.stop = for_server("stop", "Stop: ", "stopped", function(status)
  return status.state ~= "stopped" and status.state ~= "disabled"
end)
M.restart = for_server("restart", "Restart: ", "restarted")

---@param context codeagent.Context
function M.signin(words, context)
  local run = for_server(
    context.bang and "signOut" or "signIn",
    "Server: ",
    context.bang and "signed out of" or "signed in to"
  )
  run(words, { bang = false, rest = context.rest })
end

---@param server string
---@param tool? string
---@param enabled boolean
function M.set_enabled(server, tool, enabled)
  local params = { server = server, tool = tool, enabled = enabled }
  client.execute("setEnabled", params, nil, function(failure)
    if failure then
      return client.tell(failure)
    end
    local what = tool and ("%s of %s"):format(text.one_line(tool, 60), text.one_line(server, 60))
      or text.one_line(server, 60)
    vim.notify(("codeagent: %s is %s in this workspace"):format(what, enabled and "on" or "off"))
  end)
end

---@param enabled boolean
local function switch(enabled)
  return function(words)
    if words[1] then
      return M.set_enabled(words[1], words[2], enabled)
    end
    picker.server(enabled and "Enable: " or "Disable: ", function(status)
      M.set_enabled(status.server, nil, enabled)
    end, function(status)
      return (status.state == "disabled") == enabled
    end)
  end
end

M.enable = switch(true)
M.disable = switch(false)

---@param context codeagent.Context
function M.config(words, context)
  require("codeagent.config_file").open(words[1], context.bang)
end

---@param context codeagent.Context
M["import"] = function(_, context)
  require("codeagent.config_file").import(context.rest ~= "" and context.rest or nil)
end

---@param context codeagent.Context
function M.reload(_, context)
  local lsp = client.get()
  if context.bang and lsp then
    lsp:stop()
    vim.wait(6000, function()
      return client.get() == nil
    end, 20)
  end
  client.execute("reload", {}, nil, function(failure, status)
    if failure then
      return client.tell(failure)
    end
    state.take(status)
    local counts = state.counts()
    local said = "codeagent: %s, %d ready, %d failed, %d waiting"
    vim.notify(
      said:format(text.counted(counts.servers, "server"), counts.ready, counts.failed, counts.waiting)
    )
  end)
end

---@param context codeagent.Context
function M.install(_, context)
  require("codeagent.install").open(context.bang)
end

return M
