--- Names for the completion of the command line.
local client = require("codeagent.client")
local state = require("codeagent.state")

local M = {}

---@param name string
---@param params table
---@return any
local function quick(name, params)
  if not client.get() then
    return {}
  end
  return (client.wait(name, params, { timeout = 1000 })) or {}
end

---@type table<string, fun(): string[]>
local SOURCES = {
  server = function()
    return vim.tbl_keys(state.servers)
  end,
  waiting = function()
    return vim.tbl_map(
      function(status)
        return status.server
      end,
      vim.tbl_filter(function(status)
        return status.state == "untrusted"
      end, state.list())
    )
  end,
  config = function()
    return vim.list_extend({ "user", "project" }, vim.tbl_keys(state.servers))
  end,
  tool = function()
    return vim.tbl_map(function(tool)
      return tool.name
    end, quick("listTools", { waitMs = 0 }).tools or {})
  end,
  mention = function()
    return vim.tbl_map(function(resource)
      return resource.mention
    end, quick("listResources", { waitMs = 0 }).resources or {})
  end,
  prompt = function()
    return vim.tbl_map(function(prompt)
      return prompt.server .. "/" .. prompt.name
    end, quick("listPrompts", { waitMs = 0 }).prompts or {})
  end,
}

--- Names for the completion of the command line: those that begin with what was typed, then those that contain it.
---@param source string
---@param lead string
---@return string[]
function M.of(source, lead)
  local server = source:match("^tools of (.*)$")
  local found = server
      and vim.tbl_map(function(tool)
        return tool.tool
      end, quick("listTools", { server = server, waitMs = 0, includeDisabled = true }).tools or {})
    or SOURCES[source]()
  table.sort(found)
  local first, second, lower = {}, {}, lead:lower()
  for _, name in ipairs(found) do
    if not name:find("[%c%s]") then
      local at = name:lower():find(lower, 1, true)
      table.insert(at == 1 and first or second, at and name or nil)
    end
  end
  return vim.list_extend(first, second)
end

return M
