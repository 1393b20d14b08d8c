--- The Lua API. Each function that asks the language server takes a callback `(failure, result)` as its last argument,
--- and then returns a function that cancels; without one it waits, and returns `result, failure`.
local M = {}

---@alias codeagent.Callback fun(failure: codeagent.Failure?, result: any)

---@param name string
---@param params table
---@param options? codeagent.RequestOptions
---@param callback? codeagent.Callback
---@return any, codeagent.Failure?
local function call(name, params, options, callback)
  return require("codeagent.client").call(name, params, options, callback)
end

--- Takes options (|codeagent-options|) and enables the language server. It need not be called: `vim.g.codeagent` holds
--- the same options, and `vim.lsp.enable("codeagent")` enables.
---@param options? codeagent.Config
function M.setup(options)
  require("codeagent.config").set(options or {}, "setup()")
  vim.lsp.enable("codeagent")
end

--- Opens the panel.
---@param other? boolean a split where a float is usual, and the other way round
function M.panel(other)
  require("codeagent.panel").open(other)
end

--- The servers as they are known now; asks nobody.
---@return codeagent.ServerStatus[]
function M.servers()
  return require("codeagent.state").list()
end

--- How many servers, tools, resources and prompts there are; asks nobody.
---@return codeagent.Counts
function M.counts()
  return require("codeagent.state").counts()
end

--- Every server and every config file.
---@param callback? codeagent.Callback
---@return codeagent.Status?, codeagent.Failure?
function M.status(callback)
  return call("status", {}, nil, callback)
end

--- The tools, of one server or of all. `wait`: milliseconds to wait for servers that are still starting.
---@param options? { server?: string, wait?: integer, disabled?: boolean }
---@param callback? codeagent.Callback
---@return codeagent.ToolList?, codeagent.Failure?
function M.tools(options, callback)
  options = options or {}
  local params = { server = options.server, waitMs = options.wait, includeDisabled = options.disabled }
  return call("listTools", params, nil, callback)
end

--- The tools again, if anything has changed since a revision; else `{ changed = false }`, at no cost.
---@param revision integer
---@param callback? codeagent.Callback
---@return codeagent.RefreshedTools?, codeagent.Failure?
function M.refresh_tools(revision, callback)
  return call("refreshTools", { revision = revision }, nil, callback)
end

--- Calls a tool, by its full name (`mcp__server__tool`) or by server and own name. The user may be asked first.
---@param tool string|{ server: string, tool: string }
---@param arguments? table
---@param options? { timeout?: integer, on_progress?: fun(progress: { message?: string, percentage?: integer }) }
---@param callback? codeagent.Callback
---@return codeagent.CallResult?, codeagent.Failure?
function M.call_tool(tool, arguments, options, callback)
  options = options or {}
  local params = type(tool) == "table" and { server = tool.server, tool = tool.tool } or { name = tool }
  params.arguments = arguments and next(arguments) and arguments or vim.empty_dict()
  params.timeoutMs = options.timeout
  local state = require("codeagent.state")
  state.add_call(1)
  local wait = options.timeout and options.timeout + 130000 or nil -- the user may take two minutes to answer
  local request = { timeout = wait, on_progress = options.on_progress }
  if callback then
    return call("callTool", params, request, function(...)
      state.add_call(-1)
      callback(...)
    end)
  end
  local result, failure = call("callTool", params, request)
  state.add_call(-1)
  return result, failure
end

--- The resources and the templates, of one server or of all.
---@param options? { server?: string, wait?: integer }
---@param callback? codeagent.Callback
---@return codeagent.ResourceList?, codeagent.Failure?
function M.resources(options, callback)
  options = options or {}
  return call("listResources", { server = options.server, waitMs = options.wait }, nil, callback)
end

--- Reads a resource, by mention (`@server:uri`) or by server and URI.
---@param what string|{ server: string, uri: string }
---@param callback? codeagent.Callback
---@return codeagent.ReadResource?, codeagent.Failure?
function M.read_resource(what, callback)
  local params = type(what) == "table" and { server = what.server, uri = what.uri } or { mention = what }
  return call("readResource", params, nil, callback)
end

--- The prompts, of one server or of all.
---@param options? { server?: string, wait?: integer }
---@param callback? codeagent.Callback
---@return codeagent.PromptList?, codeagent.Failure?
function M.prompts(options, callback)
  options = options or {}
  return call("listPrompts", { server = options.server, waitMs = options.wait }, nil, callback)
end

--- Fills a prompt in.
---@param server string
---@param name string
---@param arguments? table<string, string>
---@param callback? codeagent.Callback
---@return codeagent.FilledPrompt?, codeagent.Failure?
function M.get_prompt(server, name, arguments, callback)
  local given = arguments and next(arguments) and arguments or nil
  return call("getPrompt", { server = server, name = name, arguments = given }, nil, callback)
end

--- The mentions of a text, with what they stand for.
---@param text string
---@param callback? codeagent.Callback
---@return codeagent.Mentions?, codeagent.Failure?
function M.resolve_mentions(text, callback)
  return call("resolveMentions", { text = text }, nil, callback)
end

--- What the servers say about their own use.
---@param callback? codeagent.Callback
---@return codeagent.Instructions?, codeagent.Failure?
function M.instructions(callback)
  return call("instructions", {}, nil, callback)
end

--- The tools and instructions as one block for a system prompt.
---@param callback? codeagent.Callback
---@return codeagent.PromptSection?, codeagent.Failure?
function M.prompt_section(callback)
  return call("promptSection", {}, nil, callback)
end

--- Starts, stops or restarts a server, or reads the config files again (`reload`, without a server).
---@param what "start"|"stop"|"restart"|"reload"
---@param server? string
---@param callback? codeagent.Callback
---@return codeagent.ServerStatus|codeagent.Status|nil, codeagent.Failure?
function M.control(what, server, callback)
  return call(what, what == "reload" and {} or { server = server }, nil, callback)
end

--- Switches a server, or one of its tools, on or off for this workspace.
---@param server string
---@param tool? string
---@param enabled boolean
---@param callback? codeagent.Callback
---@return codeagent.ServerStatus?, codeagent.Failure?
function M.set_enabled(server, tool, enabled, callback)
  return call("setEnabled", { server = server, tool = tool, enabled = enabled }, nil, callback)
end

--- Be called with an event (|codeagent-events|) and its data. Returns the function that ends it.
---@param event string e.g. `CodeAgentToolsChanged`
---@param callback fun(data: any)
---@return fun() off
function M.on(event, callback)
  return require("codeagent.state").subscribe(function(name, data)
    if name == event then
      callback(data)
    end
  end)
end

--- Opens the resource whose mention is under the cursor.
function M.open_mention()
  require("codeagent.mention").open_at_cursor()
end

return M
