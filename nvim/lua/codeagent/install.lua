--- `:CodeAgent install`: the language server in an environment of its own, by `uv` where there is one, else by `venv`.
local locate = require("codeagent.locate")
local ui = require("codeagent.ui")

local M = {}

M.OLDEST = { 3, 11 }

--- What is installed: the sources beside this plugin, or the package's name where it came without them.
---@return string
function M.source()
  local own = require("codeagent.config").get().install_source
  if own then
    return vim.fs.normalize(own)
  end
  local here = vim.uv.fs_realpath(debug.getinfo(1, "S").source:sub(2)) or ""
  local root = vim.fs.root(here, "pyproject.toml")
  if root and vim.uv.fs_stat(vim.fs.joinpath(root, "server", "codeagent_lsp")) then
    return root
  end
  return "codeagent-lsp"
end

--- The first Python on PATH that is new enough, and its version.
---@return string? path
---@return string? version
function M.python()
  for _, name in ipairs({ "python3", "python3.14", "python3.13", "python3.12", "python3.11", "python" }) do
    local path = locate.on_path(name)
    if path then
      local code = "import sys; print('%d.%d' % sys.version_info[:2])"
      local ok, done = pcall(function()
        return vim.system({ path, "-I", "-c", code }, { text = true, timeout = 5000 }):wait()
      end)
      local major, minor = (ok and done.stdout or ""):match("^(%d+)%.(%d+)")
      if major and (tonumber(major) > 3 or tonumber(minor) >= M.OLDEST[2]) then
        return path, ("%s.%s"):format(major, minor)
      end
    end
  end
  return nil
end

---@class codeagent.Step
---@field title string
---@field command string[]
---@field hint? string

--- The steps of an installation; nil, and what to do, where there is no way.
---@param folder string
---@return codeagent.Step[]? steps
---@return string? problem
function M.steps(folder)
  local source, uv = M.source(), locate.on_path("uv")
  local interpreter = locate.in_venv(folder, "python")
  local python, version = M.python()
  if uv then
    return {
      {
        title = "Making an environment with uv",
        command = { uv, "venv", "--quiet", "--python", python or ">=3.11", folder },
      },
      {
        title = "Installing the language server with uv",
        command = { uv, "pip", "install", "--python", interpreter, source },
        hint = "Check the network, or the package index that uv is set up for.",
      },
    }
  elseif not python then
    return nil, "no Python 3.11 or newer was found on PATH; install one, or uv"
  end
  return {
    {
      title = ("Making an environment with Python %s"):format(version),
      command = { python, "-I", "-m", "venv", folder },
      hint = "On Debian and Ubuntu: `apt install python3-venv`.",
    },
    {
      title = "Installing the language server",
      command = {
        interpreter,
        "-I",
        "-m",
        "pip",
        "install",
        "--disable-pip-version-check",
        "--no-input",
        source,
      },
      hint = "Check the network, or the package index that pip is set up for.",
    },
  }
end

---@class codeagent.Installer
---@field buffer integer
---@field window integer

---@param view codeagent.Installer
---@param lines string[]
---@param group? string
local function say(view, lines, group)
  if not vim.api.nvim_buf_is_valid(view.buffer) then
    return
  end
  local count = vim.api.nvim_buf_line_count(view.buffer)
  local is_empty = count == 1 and vim.api.nvim_buf_get_lines(view.buffer, 0, 1, false)[1] == ""
  local first = is_empty and 0 or count
  vim.bo[view.buffer].modifiable = true
  vim.api.nvim_buf_set_lines(view.buffer, first, -1, false, lines)
  vim.bo[view.buffer].modifiable = false
  for offset = 0, group and #lines - 1 or -1 do
    local mark = { end_col = #lines[offset + 1], hl_group = group }
    vim.api.nvim_buf_set_extmark(view.buffer, ui.namespace, first + offset, 0, mark)
  end
  if vim.api.nvim_win_is_valid(view.window) then
    vim.api.nvim_win_set_cursor(view.window, { vim.api.nvim_buf_line_count(view.buffer), 0 })
  end
end

--- Runs steps one after the other; `report` hears of each and of every line, `done` of the end.
---@param steps codeagent.Step[]
---@param report fun(kind: "step"|"line", line: string)
---@param done fun(problem?: string)
function M.run(steps, report, done)
  local function step(index)
    local item = steps[index]
    if not item then
      return done()
    end
    report("step", ("[%d/%d] %s …"):format(index, #steps, item.title))
    local function output(_, data)
      for line in (data or ""):gmatch("[^\r\n]+") do
        vim.schedule(function()
          report("line", line)
        end)
      end
    end
    local options = { text = true, stdout = output, stderr = output, cwd = vim.fs.dirname(item.command[1]) }
    local ok, problem = pcall(vim.system, item.command, options, function(result)
      vim.schedule(function()
        if result.code == 0 then
          return step(index + 1)
        end
        local said = ("%s failed (exit code %d)."):format(item.title, result.code)
        done(item.hint and said .. " " .. item.hint or said)
      end)
    end)
    if not ok then
      done(("%s failed: %s"):format(item.title, tostring(problem)))
    end
  end
  step(1)
end

--- Installs the server, in a window that shows how it goes on, and starts it.
---@param again? boolean install even where there is one
---@param on_end? fun(problem?: string)
function M.open(again, on_end)
  local folder = vim.fs.joinpath(locate.folder(), "venv")
  local present, _ = locate.command()
  if present and not again then
    vim.notify(
      ("codeagent: the language server is there: %s (`:CodeAgent! install` installs it anew)"):format(
        present[1]
      )
    )
    return on_end and on_end()
  end
  local steps, problem = M.steps(folder)
  if not steps then
    vim.notify("codeagent: " .. problem, vim.log.levels.ERROR)
    return on_end and on_end(problem)
  end
  vim.fn.delete(folder, "rf")
  vim.fn.mkdir(vim.fs.dirname(folder), "p")
  local buffer = ui.scratch({ "" })
  local view =
    { buffer = buffer, window = ui.float(buffer, { title = "Installing codeagent-lsp", height = 16 }) }
  ui.map(buffer, { "q", "<Esc>" }, "<Cmd>close<CR>", "close")
  M.run(steps, function(kind, line)
    line = require("codeagent.text").visible(line)
    say(
      view,
      { kind == "step" and line or "  " .. line },
      kind == "step" and "CodeAgentTitle" or "CodeAgentMuted"
    )
  end, function(failed)
    if failed then
      vim.fn.delete(folder, "rf")
      say(view, { "", failed }, "CodeAgentFailed")
      vim.notify("codeagent: " .. failed, vim.log.levels.ERROR)
    else
      say(view, { "", "Done. q closes this window." }, "CodeAgentReady")
      require("codeagent.client").ready(function(failure)
        if failure then
          require("codeagent.client").tell(failure)
        end
      end)
    end
    if on_end then
      on_end(failed)
    end
  end)
end

return M
