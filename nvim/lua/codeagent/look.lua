--- How things look in the panel and in messages: signs, icons, words and colours of states and effects.
local text = require("codeagent.text")

local M = {}

--- What a state is called.
---@type table<string, string>
M.words = {
  ready = "ready",
  starting = "starting",
  failed = "failed",
  needsAuth = "needs sign-in",
  untrusted = "needs approval",
  stopped = "stopped",
  disabled = "disabled",
}

---@type table<string, { sign: string, icon: string, group: string }>
M.states = {
  ready = { sign = "●", icon = "\u{f058}", group = "CodeAgentReady" },
  starting = { sign = "◌", icon = "\u{f110}", group = "CodeAgentBusy" },
  failed = { sign = "✗", icon = "\u{f057}", group = "CodeAgentFailed" },
  needsAuth = { sign = "!", icon = "\u{f084}", group = "CodeAgentWaiting" },
  untrusted = { sign = "?", icon = "\u{f132}", group = "CodeAgentWaiting" },
  stopped = { sign = "○", icon = "\u{f28d}", group = "CodeAgentOff" },
  disabled = { sign = "-", icon = "\u{f05e}", group = "CodeAgentOff" },
}

M.icons = { tool = "\u{f0ad} ", resource = "\u{f15c} ", template = "\u{f016} ", prompt = "\u{f075} " }

M.effects = {
  read = { "reads", "CodeAgentMuted" },
  network = { "network", "CodeAgentMuted" },
  write = { "writes", "CodeAgentWarning" },
  destructive = { "destroys", "CodeAgentDanger" },
  unknown = { "unknown", "CodeAgentMuted" },
}

---@param state string
---@param icons? boolean
---@return string
function M.sign(state, icons)
  local look = M.states[state] or M.states.stopped
  return icons and look.icon or look.sign
end

---@param state string
---@return string
function M.group(state)
  return (M.states[state] or M.states.stopped).group
end

--- A message without the server's name in front, where that stands beside it anyway.
---@param message string
---@param server string
---@return string
function M.without_server(message, server)
  return vim.startswith(message, server .. ": ") and message:sub(#server + 3) or message
end

--- What stands behind a server's name: counts where it is ready, else why it is not.
---@param status codeagent.ServerStatus
---@return string
function M.detail(status)
  local word = M.words[status.state] or status.state
  if status.state == "ready" then
    local off = status.disabledTools > 0 and (" (%d off)"):format(status.disabledTools) or ""
    local parts = { text.counted(status.tools, "tool") .. off }
    local resources = status.resources + status.resourceTemplates
    parts[#parts + 1] = resources > 0 and text.counted(resources, "resource") or nil
    parts[#parts + 1] = status.prompts > 0 and text.counted(status.prompts, "prompt") or nil
    return table.concat(parts, " · ")
  end
  local why = (status.error and status.error.message) or status.detail
  if not why then
    return word
  end
  return ("%s — %s"):format(word, text.one_line(M.without_server(why, status.server), 160))
end

--- What the panel says where it has nothing to show; nil where it has.
---@param host string
---@param servers integer how many there are
---@return string?
function M.nothing(host, servers)
  if host == "on" then
    return servers == 0 and "No server is configured. C opens the config file." or nil
  end
  local said = {
    off = "The language server is not running. r starts it.",
    starting = "The language server is starting …",
    ended = "The language server has ended. r starts it again.",
  }
  return said[host]
end

return M
