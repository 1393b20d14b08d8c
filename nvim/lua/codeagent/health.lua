--- `:checkhealth codeagent`
local M = {}

local health = vim.health

---@param command string[]
---@return string? output of a program that ended well, within five seconds
local function output(command)
  local ok, done = pcall(function()
    return vim.system(command, { text = true, timeout = 5000 }):wait()
  end)
  if not ok or done.code ~= 0 then
    return nil
  end
  return vim.trim(done.stdout ~= "" and done.stdout or done.stderr)
end

local function check_neovim()
  health.start("Neovim")
  local found = vim.version()
  local version = ("%d.%d.%d%s"):format(
    found.major,
    found.minor,
    found.patch,
    found.prerelease and "-dev" or ""
  )
  if vim.fn.has("nvim-0.11") == 1 then
    health.ok("Neovim " .. version)
  else
    health.error("Neovim " .. version .. " is too old", { "Install Neovim 0.11 or newer." })
  end
  local problems = require("codeagent.config").problems(vim.g.codeagent or {})
  for _, problem in ipairs(problems) do
    health.error("vim.g.codeagent: " .. problem, { "See |codeagent-options|." })
  end
end

local function check_server()
  health.start("Language server")
  local command, problem = require("codeagent.locate").command()
  if not command then
    return health.error(problem, { "Run `:CodeAgent install`.", "Or name the command in the option `cmd`." })
  end
  local version = output({ command[1], "--version" })
  if version then
    health.ok(("%s: %s"):format(version, table.concat(command, " ")))
  else
    health.error(("%s does not start"):format(command[1]), { "Run `:CodeAgent! install`." })
  end
end

local PROGRAMS = {
  { name = "node", args = { "--version" }, why = "servers that are started with `npx`" },
  { name = "npx", args = { "--version" }, why = "servers that are started with `npx`" },
  { name = "uvx", args = { "--version" }, why = "servers that are started with `uvx`" },
  { name = "docker", args = { "--version" }, why = "servers in containers" },
}

local function check_programs()
  health.start("Programs that many MCP servers need")
  local python, version = require("codeagent.install").python()
  if python then
    health.ok(("Python %s: %s"):format(version, python))
  else
    health.warn("no Python 3.11 or newer on PATH", { "`:CodeAgent install` needs it, unless there is `uv`." })
  end
  for _, program in ipairs(PROGRAMS) do
    local path = require("codeagent.locate").on_path(program.name)
    local said = path and output(vim.list_extend({ path }, program.args))
    if said then
      health.ok(("%s %s: %s"):format(program.name, said:match("[^\n]*"), path))
    else
      health.info(("%s is not there: needed for %s"):format(program.name, program.why))
    end
  end
end

---@param file codeagent.ConfigFile
local function check_file(file)
  local path = vim.fn.fnamemodify(vim.uri_to_fname(file.uri), ":~")
  if not file.exists then
    return health.info(path .. ": not there")
  elseif #file.problems == 0 then
    return health.ok(path)
  end
  for _, problem in ipairs(file.problems) do
    local place = ("%s:%d: "):format(path, problem.range.start.line + 1)
    local say = ({ error = health.error, warning = health.warn })[problem.severity] or health.info
    say(place .. require("codeagent.text").one_line(problem.message, 500))
  end
end

---@param status codeagent.ServerStatus
local function check_status(status)
  local text = require("codeagent.text")
  local said = ("%s: %s"):format(text.one_line(status.server, 60), require("codeagent.look").detail(status))
  local advice = {
    failed = "`:CodeAgent log " .. status.server .. "` shows what it wrote.",
    needsAuth = "`:CodeAgent signin " .. status.server .. "`",
    untrusted = "`:CodeAgent approve " .. status.server .. "` shows what it would start.",
  }
  if status.state == "ready" then
    health.ok(said)
  elseif status.state == "failed" then
    local hint = status.error and status.error.hint
    health.error(said, { hint and text.one_line(hint, 300) or advice.failed, hint and advice.failed or nil })
  elseif advice[status.state] then
    health.warn(said, { advice[status.state] })
  else
    health.info(said)
  end
end

local function check_client()
  health.start("Client")
  local client = require("codeagent.client")
  local lsp = client.get()
  if not lsp then
    health.warn(
      "the language server is not running",
      { 'Put `vim.lsp.enable("codeagent")` into your config.' }
    )
    return
  end
  local buffers = vim.tbl_count(lsp.attached_buffers)
  local said = "the language server runs (client %d), attached to %s"
  health.ok(said:format(lsp.id, require("codeagent.text").counted(buffers, "buffer")))
  local result, failure = client.wait("status", {}, { timeout = 5000 })
  if failure then
    return health.error("it does not answer: " .. failure.message)
  end
  health.start("Config files")
  for _, file in ipairs(result.files) do
    check_file(file)
  end
  health.start("MCP servers")
  if #result.servers == 0 then
    health.info("none is configured: `:CodeAgent config`")
  end
  for _, status in ipairs(result.servers) do
    check_status(status)
  end
end

function M.check()
  check_neovim()
  check_server()
  check_programs()
  check_client()
end

return M
