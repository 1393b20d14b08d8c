--- Config files as buffers: opened at a server's entry, begun from a template, extended by an import.
local client = require("codeagent.client")
local picker = require("codeagent.picker")
local state = require("codeagent.state")
local text = require("codeagent.text")

local M = {}

local TEMPLATE = {
  "{",
  '  "mcpServers": {',
  "  }",
  "}",
}

--- Where other tools keep their servers, in the order in which they are offered.
M.foreign = {
  ".mcp.json",
  ".vscode/mcp.json",
  ".cursor/mcp.json",
  "~/.claude.json",
  "~/.cursor/mcp.json",
  "~/.config/mcphub/servers.json",
  "~/.gemini/settings.json",
}

---@param path string
---@param name? string
local function edit(path, name)
  vim.cmd.edit(vim.fn.fnameescape(path))
  local buffer = vim.api.nvim_get_current_buf()
  local is_empty = vim.api.nvim_buf_line_count(buffer) == 1 and vim.api.nvim_get_current_line() == ""
  if is_empty and not vim.uv.fs_stat(path) then
    vim.fn.mkdir(vim.fs.dirname(path), "p")
    vim.api.nvim_buf_set_lines(buffer, 0, -1, false, TEMPLATE)
    vim.api.nvim_win_set_cursor(0, { 2, 0 })
  end
  if name then
    vim.fn.cursor(1, 1)
    vim.fn.search([[\V]] .. vim.json.encode(name):gsub("\\", "\\\\") .. [[\m\s*:]], "cW")
  end
end

---@param file codeagent.ConfigFile
---@return string
local function file_line(file)
  local path = vim.fn.fnamemodify(vim.uri_to_fname(file.uri), ":~:.")
  local problems = #file.problems > 0 and (" — %s"):format(text.counted(#file.problems, "problem")) or ""
  return ("%s  (%s%s)%s"):format(path, file.scope, file.exists and "" or ", not there yet", problems)
end

---@param scope string
---@return string?
local function file_of(scope)
  local fallback
  for _, file in ipairs(state.files) do
    local path = vim.uri_to_fname(file.uri)
    if file.scope == scope and vim.fs.basename(path) == "mcp.json" then
      if file.exists then
        return path
      end
      fallback = fallback or path
    end
  end
  return fallback
end

---@param server string
local function show_effective(server)
  client.execute("effectiveConfig", { server = server }, nil, function(failure, result)
    if failure then
      return client.tell(failure)
    end
    local ui = require("codeagent.ui")
    local lines = text.lines(require("codeagent.json").pretty(result))
    local buffer = ui.scratch(lines, { filetype = "json" })
    ui.map(buffer, "q", "<Cmd>close<CR>", "close")
    ui.open(
      buffer,
      require("codeagent.config").get().result,
      { title = "The entry in force", height = #lines + 1 }
    )
  end)
end

--- Opens a config file: the user's, the project's, that of a server, or one that is chosen.
---@param what? string `user`, `project` or a server
---@param effective? boolean show the entry that is in force instead
function M.open(what, effective)
  state.refresh(function()
    local status = what and state.servers[what]
    if effective then
      if status then
        return show_effective(status.server)
      end
      return picker.server("Entry in force: ", function(chosen)
        show_effective(chosen.server)
      end)
    elseif status then
      return edit(vim.uri_to_fname(status.configUri), status.name)
    elseif what == "user" or what == "project" then
      local path = file_of(what)
      if not path then
        return vim.notify("codeagent: no project is open here.", vim.log.levels.ERROR)
      end
      return edit(path)
    elseif what then
      return vim.notify(
        ("codeagent: there is no server `%s`."):format(text.one_line(what)),
        vim.log.levels.ERROR
      )
    end
    vim.ui.select(state.files, { prompt = "Config file: ", format_item = file_line }, function(file)
      if file then
        edit(vim.uri_to_fname(file.uri))
      end
    end)
  end)
end

---@param path string
local function import(path)
  local uri = vim.uri_from_fname(vim.fs.abspath(vim.fs.normalize(path)))
  client.execute("importConfig", { uri = uri }, nil, function(failure, result)
    if failure then
      return client.tell(failure)
    end
    local lsp = client.get()
    vim.lsp.util.apply_workspace_edit(result.edit, lsp and lsp.offset_encoding or "utf-16")
    local target = vim.tbl_keys(result.edit.changes or {})[1]
    for _, change in ipairs(result.edit.documentChanges or {}) do
      target = target or (change.textDocument and change.textDocument.uri)
    end
    if target then
      vim.cmd.edit(vim.fn.fnameescape(vim.uri_to_fname(target)))
    end
    local notes = vim.tbl_map(text.one_line, result.notes)
    table.insert(notes, 1, "codeagent: look it over, and `:write` it. Nothing is written yet.")
    vim.notify(table.concat(notes, "\n"))
  end)
end

--- Takes servers over from another tool's file, as changes of a buffer.
---@param path? string
function M.import(path)
  if path then
    return import(path)
  end
  local folder = require("codeagent.locate").root(vim.fn.getcwd()) or vim.fn.getcwd()
  local found = {}
  for _, name in ipairs(M.foreign) do
    local full = name:find("^~") and vim.fs.normalize(name) or vim.fs.joinpath(folder, name)
    found[#found + 1] = vim.uv.fs_stat(full) and full or nil
  end
  if #found == 0 then
    return vim.ui.input({ prompt = "Import servers from: ", completion = "file" }, function(typed)
      if typed and typed ~= "" then
        import(typed)
      end
    end)
  end
  vim.ui.select(found, { prompt = "Import servers from: " }, function(chosen)
    if chosen then
      import(chosen)
    end
  end)
end

return M
