--- The life of the language server's client: what `lsp/codeagent.lua` hands to Neovim, and what it answers.
local M = {}

local pending_folders = {} ---@type table<integer, string[]>
local told_missing = false

---@return codeagent.Config
local function config()
  return require("codeagent.config").get()
end

--- `cmd`: starts the server.
---@param dispatchers vim.lsp.rpc.Dispatchers
---@return vim.lsp.rpc.PublicClient
function M.start(dispatchers)
  local command, problem = require("codeagent.locate").command()
  if not command then
    error("codeagent: " .. problem, 0)
  end
  -- Not the folder that is open: a program that looks for its parts there would find what a project put there.
  local cwd = vim.fn.stdpath("data") --[[@as string]]
  vim.fn.mkdir(cwd, "p")
  require("codeagent.state").set_host("starting")
  return vim.lsp.rpc.start(command, dispatchers, { cwd = cwd })
end

--- `root_dir`: every file gets the server, where there is one; where there is none, that is said once.
---@param buffer integer
---@param on_dir fun(root?: string)
function M.root_dir(buffer, on_dir)
  local own = vim.lsp.config.codeagent.cmd
  if type(own) == "function" then
    local command, problem = require("codeagent.locate").command()
    if not command then
      if not told_missing then
        told_missing = true
        vim.schedule(function() -- behind the message of `:edit`, so that nobody has to press <CR>
          vim.notify("codeagent: " .. problem, vim.log.levels.WARN)
        end)
      end
      return
    end
  end
  local name = vim.api.nvim_buf_get_name(buffer)
  on_dir(name ~= "" and require("codeagent.locate").root(vim.fs.dirname(name)) or nil)
end

---@param folder string
---@return boolean
local function trusted(folder)
  local trust = config().trust
  if type(trust) == "function" then
    local ok, answer = pcall(trust, folder)
    return ok and answer == true
  end
  return trust == true
end

---@param folders lsp.WorkspaceFolder[]
---@return table<string, boolean>
local function trust_of(folders)
  local answer = vim.empty_dict()
  for _, folder in ipairs(folders) do
    answer[folder.uri] = trusted(vim.uri_to_fname(folder.uri))
  end
  return answer
end

---@param client vim.lsp.Client
---@param root string
local function add_folder(client, root)
  local folder = { uri = vim.uri_from_fname(root), name = root }
  client.workspace_folders = client.workspace_folders or {}
  table.insert(client.workspace_folders, folder)
  client:notify("codeagent/workspaceTrustChanged", { workspaceTrust = trust_of(client.workspace_folders) })
  client:notify("workspace/didChangeWorkspaceFolders", { event = { added = { folder }, removed = {} } })
end

--- `reuse_client`: one server for this Neovim; another project is one more folder of it.
---@param client vim.lsp.Client
---@param lsp_config vim.lsp.ClientConfig
---@return boolean
function M.reuse(client, lsp_config)
  if client.name ~= lsp_config.name or client:is_stopped() then
    return false
  end
  local root = lsp_config.root_dir
  for _, folder in ipairs(client.workspace_folders or {}) do
    if root and folder.uri == vim.uri_from_fname(root) then
      return true
    end
  end
  if root and client.initialized then
    add_folder(client, root)
  elseif root then
    pending_folders[client.id] = pending_folders[client.id] or {}
    table.insert(pending_folders[client.id], root)
  end
  return true
end

--- `before_init`: what we can ask the user, what is trusted, variables and settings.
---@param params lsp.InitializeParams
---@param lsp_config vim.lsp.ClientConfig
function M.before_init(params, lsp_config)
  local folders = type(params.workspaceFolders) == "table" and params.workspaceFolders or {}
  local settings = { alsoRead = config().also_read }
  params.initializationOptions = vim.tbl_deep_extend("force", {
    clientFeatures = vim.list_extend(
      { "approveServer", "approveCall", "elicit", "input", "documents" },
      vim.tbl_keys(lsp_config.commands or {})
    ),
    workspaceTrust = trust_of(folders),
    variables = next(config().variables) and config().variables or vim.empty_dict(),
    settings = settings,
  }, params.initializationOptions or {})
  local protocol = require("codeagent.protocol")
  local experimental = { codeagent = { protocol = protocol.version } }
  params.capabilities = vim.tbl_deep_extend("force", params.capabilities, { experimental = experimental })
  lsp_config.settings = vim.tbl_deep_extend("force", { codeagent = settings }, lsp_config.settings or {})
end

--- What the server tells and asks; a handler that the user has set stays.
---@param handlers table<string, function>
local function add_handlers(handlers)
  local protocol = require("codeagent.protocol")
  for _, method in pairs(protocol.notifications) do
    handlers[method] = handlers[method] or M.on_notification
  end
  for _, method in pairs(protocol.questions) do
    handlers[method] = handlers[method] or M.on_question
  end
end

--- `on_init`: the server has answered, and says nothing of its own before this returns.
---@param client vim.lsp.Client
---@param result lsp.InitializeResult
function M.on_init(client, result)
  local protocol = require("codeagent.protocol")
  add_handlers(client.handlers)
  local ours = vim.tbl_get(result or {}, "capabilities", "experimental", "codeagent", "protocol")
  if ours ~= nil and ours ~= protocol.version then
    local said =
      "codeagent: the language server speaks protocol %s, this plugin %d: update the older of the two"
    vim.notify(said:format(tostring(ours), protocol.version), vim.log.levels.ERROR)
  end
  local roots = pending_folders[client.id] or {}
  pending_folders[client.id] = nil
  vim.schedule(function()
    local seen = {} ---@type table<string, boolean>
    for _, root in ipairs(roots) do
      if not seen[root] then
        seen[root] = true
        add_folder(client, root)
      end
    end
    local state = require("codeagent.state")
    state.set_host("on")
    state.refresh()
  end)
end

---@return boolean
local function completes()
  local wanted = config().completion
  if wanted == "auto" then
    return not (package.loaded["blink.cmp"] or package.loaded["cmp"] or package.loaded["mini.completion"])
  end
  return wanted == true
end

--- `on_attach`: completion of mentions as they are typed, unless a completion plugin does it.
---@param client vim.lsp.Client
---@param buffer integer
function M.on_attach(client, buffer)
  if client:supports_method("textDocument/completion") and completes() then
    vim.lsp.completion.enable(true, client.id, buffer, { autotrigger = true })
  end
end

--- `on_exit`: forget what was known, close what was asked.
---@param code integer
---@param signal integer
function M.on_exit(code, signal)
  vim.schedule(function()
    if require("codeagent.client").get() then
      return -- an older one has ended
    end
    require("codeagent.questions").drop_all()
    require("codeagent.client").abandon()
    local is_wanted = signal == 15 or (code == 0 and signal == 0)
    require("codeagent.state").set_host(is_wanted and "off" or "ended")
    if not is_wanted and vim.v.exiting == vim.NIL then
      vim.notify(
        "codeagent: the language server has ended. `:CodeAgent reload` starts it again.",
        vim.log.levels.ERROR
      )
    end
  end)
end

--- A notification of the server.
---@param params any
---@param context lsp.HandlerContext
function M.on_notification(_, params, context)
  local state = require("codeagent.state")
  state.on(context.method, params)
  if context.method == "codeagent/resourceUpdated" then
    require("codeagent.documents").refresh(params.documentUri)
  end
end

--- A question of the server; the answer comes when the user has given it.
---@param params any
---@param context lsp.HandlerContext
---@return any
function M.on_question(_, params, context)
  local thread, is_main = coroutine.running()
  local questions = require("codeagent.questions")
  if not thread or is_main then
    return vim.NIL
  end
  local answer, is_suspended = nil, false
  questions.put(context.method, params, function(value)
    answer = value == nil and vim.NIL or value
    if is_suspended then
      coroutine.resume(thread, answer)
    end
  end)
  if answer ~= nil then
    return answer
  end
  is_suspended = true
  return coroutine.yield()
end

--- The server takes a question back. Neovim does not tell which: the one on the screen, or the oldest.
function M.on_cancel()
  require("codeagent.questions").drop()
end

--- `workspace/textDocumentContent/refresh`
---@param params { uri: string }
---@return any
function M.on_refresh(_, params)
  require("codeagent.documents").refresh(params.uri)
  return vim.NIL
end

--- A command of a code action: open a resource.
---@param command lsp.Command
function M.open_resource(command)
  local argument = (command.arguments or {})[1] or {}
  require("codeagent.documents").open({ server = argument.server, uri = argument.uri })
end

--- A command of a code lens: show a server's log.
---@param command lsp.Command
function M.show_log(command)
  local argument = (command.arguments or {})[1]
  require("codeagent.log").open(type(argument) == "table" and argument.server or argument)
end

--- A command of a code lens: the difference between two results.
---@param command lsp.Command
function M.compare_results(command)
  local pair = (command.arguments or {})[1] or {}
  vim.cmd.tabedit(vim.fn.fnameescape(pair.left))
  vim.cmd("vertical diffsplit " .. vim.fn.fnameescape(pair.right))
end

--- A command of a code action: the text, and what its mentions stand for, into the clipboard register.
---@param command lsp.Command
function M.copy_expanded(command)
  require("codeagent.mention").copy_expanded((command.arguments or {})[1] or {})
end

return M
