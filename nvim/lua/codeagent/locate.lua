--- Where the language server is: the user's own command, one on PATH, or the one that `:CodeAgent install` made.
local M = {}

M.program = "codeagent-lsp"

---@return string
function M.folder()
  return vim.fs.joinpath(vim.fn.stdpath("data") --[[@as string]], "codeagent")
end

---@param folder string of a virtual environment
---@param program string
---@return string
function M.in_venv(folder, program)
  if vim.fn.has("win32") == 1 then
    return vim.fs.joinpath(folder, "Scripts", program .. ".exe")
  end
  return vim.fs.joinpath(folder, "bin", program)
end

--- The path of a program on PATH, less parts of PATH that are relative: those lead into whatever folder is open.
---@param program string
---@return string?
function M.on_path(program)
  local is_windows = vim.fn.has("win32") == 1
  for _, folder in ipairs(vim.split(vim.env.PATH or "", is_windows and ";" or ":", { plain = true })) do
    if folder:find(is_windows and "^%a:[/\\]" or "^/") then
      local path = vim.fs.joinpath(folder, is_windows and program .. ".exe" or program)
      if vim.fn.executable(path) == 1 then
        return path
      end
    end
  end
  return nil
end

--- The command that starts the server; nil, and what to do, where there is none.
---@return string[]? command
---@return string problem
function M.command()
  local own = require("codeagent.config").get().cmd
  if own then
    local found = own[1] and vim.fn.executable(own[1]) == 1
    return found and own or nil, ("the option `cmd` names %s, which cannot be run"):format(tostring(own[1]))
  end
  local path = M.on_path(M.program)
  if path then
    return { path }, ""
  end
  local installed = M.in_venv(vim.fs.joinpath(M.folder(), "venv"), M.program)
  if vim.fn.executable(installed) == 1 then
    return { installed }, ""
  end
  return nil, "the language server codeagent-lsp is not installed: `:CodeAgent install` does it"
end

--- The nearest folder above with a config file or a repository; never the home folder, whose config is the user's own.
---@param path string
---@return string?
function M.root(path)
  local home = vim.uv.os_homedir()
  local dir = vim.fs.normalize(path)
  for folder in vim.fs.parents(vim.fs.joinpath(dir, "x")) do
    local is_root = vim.uv.fs_stat(folder .. "/.git") or vim.uv.fs_stat(folder .. "/.codeagent")
    if folder == home then
      return nil
    elseif is_root then
      return folder
    end
  end
  return nil
end

return M
