--- The client of the language server: found or started, and its workspace commands as functions.
local protocol = require("codeagent.protocol")

local M = {}

M.name = "codeagent"

--- Why something did not work: `message` is a sentence for the user, `kind` one of |codeagent-errors|.
---@class codeagent.Failure
---@field kind string
---@field message string
---@field hint? string
---@field server? string
---@field tool? string
---@field mayHaveTakenEffect? boolean

---@class codeagent.RequestOptions
---@field timeout? integer Milliseconds for a call without a callback.
---@field on_progress? fun(progress: { message?: string, percentage?: integer })

local START_PATIENCE = 20000

--- How many callers stand still for an answer: questions to the user must then be asked on the spot.
M.waiting = 0

local listeners = {} ---@type table<string, fun(progress: table)>
local pending = {} ---@type table<fun(failure: codeagent.Failure?, result: any), true>
local tokens = 0

--- Neovim shows progress by itself (`LspProgress`); whoever runs a request hears of it here as well.
local function listen()
  vim.api.nvim_create_autocmd("LspProgress", {
    group = vim.api.nvim_create_augroup("codeagent.progress", {}),
    callback = function(event)
      local params = event.data.params
      local listener = listeners[params.token]
      if listener and type(params.value) == "table" and params.value.kind ~= "end" then
        listener(params.value)
      end
    end,
  })
end

---@param kind string
---@param message string
---@return codeagent.Failure
function M.failure(kind, message)
  return { kind = kind, message = message }
end

--- The running client, initialized or about to be.
---@return vim.lsp.Client?
function M.get()
  for _, client in ipairs(vim.lsp.get_clients({ name = M.name, _uninitialized = true })) do
    if not client:is_stopped() then
      return client
    end
  end
  return nil
end

--- Starts the client for the current folder, and lets every buffer have it from now on.
---@return codeagent.Failure?
local function start()
  local config = vim.deepcopy(vim.lsp.config[M.name])
  if not config then
    return M.failure("notReady", "the folder lsp/ of this plugin is not in 'runtimepath'")
  end
  if type(config.cmd) == "function" then
    local command, problem = require("codeagent.locate").command()
    if not command then
      return M.failure("notReady", problem)
    end
  end
  local cwd = vim.fn.getcwd()
  local root = require("codeagent.locate").root(cwd)
  config.root_dir = root or (cwd ~= vim.uv.os_homedir() and cwd or nil)
  local id = vim.lsp.start(config, { attach = false })
  if not id then
    return M.failure("notReady", "the language server does not start (:checkhealth codeagent)")
  end
  if not vim.lsp.is_enabled or not vim.lsp.is_enabled(M.name) then
    vim.lsp.enable(M.name)
  end
  return nil
end

--- Calls back with the client as soon as it is initialized; starts it where there is none.
---@param callback fun(failure: codeagent.Failure?, client: vim.lsp.Client?)
function M.ready(callback)
  if not M.get() then
    local failure = start()
    if failure then
      return callback(failure)
    end
  end
  local client = M.get()
  if client and client.initialized then
    return callback(nil, client)
  end
  local began = vim.uv.now()
  local timer = assert(vim.uv.new_timer())
  timer:start(
    10,
    10,
    vim.schedule_wrap(function()
      if timer:is_closing() then
        return
      end
      local now = M.get()
      local is_late = vim.uv.now() - began > START_PATIENCE
      if now and not now.initialized and not is_late then
        return
      end
      timer:close()
      if now and now.initialized then
        return callback(nil, now)
      end
      local how = is_late and "does not answer" or "ended as it started"
      callback(M.failure("notReady", ("the language server %s (:checkhealth codeagent)"):format(how)))
    end)
  )
end

---@param err lsp.ResponseError
---@return codeagent.Failure
local function failed(err)
  local data = type(err.data) == "table" and err.data or {}
  local kind = data.kind or (err.code == -32800 and "cancelled") or "protocol"
  local failure = vim.tbl_extend("force", {}, data, { kind = kind, message = err.message })
  return failure --[[@as codeagent.Failure]]
end

---@param client vim.lsp.Client
---@param request table
---@param options codeagent.RequestOptions
---@param callback fun(failure: codeagent.Failure?, result: any)
---@return fun() cancel
local function send(client, request, options, callback)
  local is_done, finish = false, nil
  function finish(failure, result)
    if is_done then
      return
    end
    is_done = true
    pending[finish] = nil
    if request.workDoneToken then
      listeners[request.workDoneToken] = nil
    end
    callback(failure, result)
  end
  pending[finish] = true
  if options.on_progress then
    if tokens == 0 then
      listen()
    end
    tokens = tokens + 1
    request.workDoneToken = "codeagent-nvim-" .. tokens
    listeners[request.workDoneToken] = options.on_progress
  end
  local sent, id
  sent, id = client:request("workspace/executeCommand", request, function(err, result)
    finish(err and failed(err), result)
  end)
  if not sent then
    finish(M.failure("notReady", "the language server has stopped"))
  end
  return function()
    if not is_done and id then
      client:cancel_request(id)
      finish(M.failure("cancelled", "cancelled"))
    end
  end
end

--- Runs one of the workspace commands (|codeagent-protocol|).
---@param name string a key of `protocol.commands`
---@param params table
---@param options? codeagent.RequestOptions
---@param callback fun(failure: codeagent.Failure?, result: any)
---@return fun() cancel
function M.execute(name, params, options, callback)
  local command = assert(protocol.commands[name], "no such command: " .. name)
  local request = { command = command, arguments = { next(params) and params or vim.empty_dict() } }
  local cancel, is_cancelled = nil, false
  M.ready(function(failure, client)
    if is_cancelled then
      return callback(M.failure("cancelled", "cancelled"))
    elseif failure or not client then
      return callback(failure)
    end
    cancel = send(client, request, options or {}, callback)
  end)
  return function()
    is_cancelled = true
    if cancel then
      cancel()
    end
  end
end

--- The same, standing still until the answer is there.
---@param name string
---@param params table
---@param options? codeagent.RequestOptions
---@return any result
---@return codeagent.Failure? failure
function M.wait(name, params, options)
  options = options or {}
  local timeout = options.timeout or require("codeagent.config").get().timeout
  local is_done, failure, result = false, nil, nil
  local cancel = M.execute(name, params, options, function(...)
    is_done, failure, result = true, ...
  end)
  M.waiting = M.waiting + 1
  local ok, in_time = pcall(vim.wait, timeout, function()
    return is_done
  end, 5)
  M.waiting = M.waiting - 1
  if not (ok and in_time) then
    cancel()
    local why = ok and ("no answer within %d ms (the option `timeout`)"):format(timeout) or "interrupted"
    return nil, M.failure(ok and "timeout" or "cancelled", why)
  end
  return result, failure
end

--- Both ways: with a callback at once, without one by waiting.
---@param name string
---@param params table
---@param options? codeagent.RequestOptions
---@param callback? fun(failure: codeagent.Failure?, result: any)
---@return any result or the function that cancels
---@return codeagent.Failure? failure
function M.call(name, params, options, callback)
  if callback then
    return M.execute(name, params, options, callback)
  end
  return M.wait(name, params, options)
end

--- The language server is gone: Neovim answers nobody who waits for it, so we do.
function M.abandon()
  for finish in pairs(pending) do
    finish(M.failure("exited", "the language server ended before it had answered"))
  end
end

--- Tells the user of a failure, with the hint on a line of its own.
---@param failure codeagent.Failure
function M.tell(failure)
  if failure.kind == "cancelled" then
    return
  end
  local visible = require("codeagent.text").visible
  local said = visible(failure.message, 1000)
  if failure.hint then
    said = said .. " " .. visible(failure.hint, 500)
  end
  if failure.mayHaveTakenEffect then
    said = said .. " The call was sent already, and may have taken effect."
  end
  vim.notify("codeagent: " .. said, vim.log.levels.ERROR)
end

return M
