--- What is known of the servers: kept up by notifications, told on by `User` events and `vim.g`.
local protocol = require("codeagent.protocol")

local M = {}

---@class codeagent.Counts
---@field servers integer
---@field ready integer
---@field starting integer
---@field failed integer
---@field waiting integer servers that wait for approval or a sign-in
---@field tools integer
---@field resources integer
---@field prompts integer
---@field calls integer calls that are running now

--- The `User` event for each notification, and what its `data` is.
---@type { method: string, event: string, desc: string }[]
M.events = {
  {
    method = protocol.notifications.statusChanged,
    event = "CodeAgentStatus",
    desc = "The state of servers has changed.",
  },
  {
    method = protocol.notifications.toolsChanged,
    event = "CodeAgentToolsChanged",
    desc = "A server's tools are others now.",
  },
  {
    method = protocol.notifications.resourcesChanged,
    event = "CodeAgentResourcesChanged",
    desc = "A server's resources are others now.",
  },
  {
    method = protocol.notifications.promptsChanged,
    event = "CodeAgentPromptsChanged",
    desc = "A server's prompts are others now.",
  },
  {
    method = protocol.notifications.resourceUpdated,
    event = "CodeAgentResourceUpdated",
    desc = "A subscribed resource has new content.",
  },
  {
    method = protocol.notifications.logMessage,
    event = "CodeAgentLog",
    desc = "A log line, while a log is open.",
  },
  {
    method = "question",
    event = "CodeAgentQuestion",
    desc = "The user is asked something, or has answered.",
  },
}

---@type table<string, codeagent.ServerStatus>
M.servers = {}
---@type codeagent.ConfigFile[]
M.files = {}
--- `off`, `starting`, `on` or `ended`: the language server itself.
M.host = "off"
M.revision = 0
M.calls = 0

local subscribers = {} ---@type table<integer, fun(event: string, data: any)>
local last_id = 0

--- Be called with every event, on top of the `User` ones; returns the function that ends it.
---@param callback fun(event: string, data: any)
---@return fun()
function M.subscribe(callback)
  last_id = last_id + 1
  local id = last_id
  subscribers[id] = callback
  return function()
    subscribers[id] = nil
  end
end

--- The servers, sorted by their ids.
---@return codeagent.ServerStatus[]
function M.list()
  local found = {}
  for _, status in vim.spairs(M.servers) do
    found[#found + 1] = status
  end
  return found
end

---@return codeagent.Counts
function M.counts()
  local counts =
    { servers = 0, ready = 0, starting = 0, failed = 0, waiting = 0, tools = 0, resources = 0, prompts = 0 }
  for _, status in pairs(M.servers) do
    counts.servers = counts.servers + 1
    local key = (status.state == "untrusted" or status.state == "needsAuth") and "waiting" or status.state
    if counts[key] then
      counts[key] = counts[key] + 1
    end
    counts.tools = counts.tools + (status.tools or 0)
    counts.resources = counts.resources + (status.resources or 0)
    counts.prompts = counts.prompts + (status.prompts or 0)
  end
  counts.calls = M.calls
  return counts
end

--- One word for all of it: the worst that the user should know.
---@param counts codeagent.Counts
---@return string
local function word(counts)
  if M.host ~= "on" then
    return M.host
  elseif counts.waiting > 0 then
    return "waiting"
  elseif counts.failed > 0 then
    return "failed"
  elseif counts.starting > 0 then
    return "starting"
  end
  return counts.ready > 0 and "ready" or "idle"
end

--- Writes the variables that a statusline reads.
function M.publish()
  local counts = M.counts()
  vim.g.codeagent_counts = counts
  vim.g.codeagent_status = word(counts)
  pcall(vim.cmd.redrawstatus)
end

--- Announces something: to our own views first, then to the user's autocommands.
---@param event string
---@param data any
function M.announce(event, data)
  for _, callback in pairs(subscribers) do
    local ok, problem = pcall(callback, event, data)
    if not ok then
      vim.notify("codeagent: " .. tostring(problem), vim.log.levels.ERROR)
    end
  end
  vim.api.nvim_exec_autocmds("User", { pattern = event, modeline = false, data = data })
end

--- Takes the status of every server over, as `codeagent.status` answers it.
---@param status codeagent.Status
function M.take(status)
  M.servers, M.files, M.revision = {}, status.files, status.revision
  for _, server in ipairs(status.servers) do
    M.servers[server.server] = server
  end
  M.publish()
  M.announce("CodeAgentStatus", { revision = status.revision, servers = status.servers })
end

local is_refresh_due = false

--- A server that is gone is in no notification: soon, ask for the whole list again.
local function refresh_soon()
  if not is_refresh_due then
    is_refresh_due = true
    vim.defer_fn(function()
      is_refresh_due = false
      if M.host == "on" then
        M.refresh()
      end
    end, 200)
  end
end

--- Takes one notification over, and tells it on.
---@param method string
---@param params any
function M.on(method, params)
  if method == protocol.notifications.statusChanged then
    for _, server in ipairs(params.servers) do
      M.servers[server.server] = server
    end
    if params.revision - M.revision > #params.servers then
      refresh_soon()
    end
    M.revision = params.revision
    M.publish()
  elseif method == protocol.notifications.toolsChanged and #(params.removed or {}) > 0 then
    refresh_soon()
  end
  for _, row in ipairs(M.events) do
    if row.method == method then
      M.announce(row.event, params)
    end
  end
end

--- The language server has started, or is gone.
---@param host string
function M.set_host(host)
  M.host = host
  if host ~= "on" then
    M.servers, M.files = {}, {}
  end
  M.publish()
  M.announce("CodeAgentStatus", { revision = 0, servers = {} })
end

--- Asks for the status of everything; servers that are gone from the config vanish this way.
---@param callback? fun()
function M.refresh(callback)
  local client = require("codeagent.client")
  client.execute("status", {}, nil, function(failure, result)
    if failure then
      client.tell(failure)
    else
      M.take(result)
    end
    if callback then
      callback()
    end
  end)
end

--- Counts the calls that are running.
---@param change integer
function M.add_call(change)
  M.calls = M.calls + change
  M.publish()
end

return M
