--- `codeagent://` buffers: resources of servers, read-only and kept up to date; calls of tools are handed to `call`.
local client = require("codeagent.client")
local text = require("codeagent.text")
local ui = require("codeagent.ui")

local M = {}

local RESOURCE = "codeagent://resource/"

--- What a type of content is shown as. Anything else is plain text, whatever its name or its first line says.
---@type table<string, string>
M.filetypes = {
  ["application/json"] = "json",
  ["application/ld+json"] = "json",
  ["application/sql"] = "sql",
  ["application/toml"] = "toml",
  ["application/xml"] = "xml",
  ["application/yaml"] = "yaml",
  ["application/x-yaml"] = "yaml",
  ["text/css"] = "css",
  ["text/csv"] = "csv",
  ["text/diff"] = "diff",
  ["text/x-diff"] = "diff",
  ["text/html"] = "html",
  ["text/markdown"] = "markdown",
  ["text/x-markdown"] = "markdown",
  ["text/xml"] = "xml",
  ["text/yaml"] = "yaml",
  ["text/x-python"] = "python",
  ["text/x-lua"] = "lua",
}

---@param opaque string
---@return string?
local function decoded(opaque)
  local padded = opaque:gsub("-", "+"):gsub("_", "/") .. ("="):rep(-#opaque % 4)
  local ok, raw = pcall(vim.base64.decode, padded)
  return ok and raw or nil
end

--- Two names as one part of an address, so that any server and any URI survive as a buffer's name.
---@param first string
---@param second string
---@return string
function M.encode(first, second)
  return (vim.base64.encode(first .. "\0" .. second):gsub("%+", "-"):gsub("/", "_"):gsub("=", ""))
end

--- The two names again; nil where it is no such address.
---@param address string
---@param prefix string
---@return string? first
---@return string? second
function M.decode(address, prefix)
  if not vim.startswith(address, prefix) then
    return nil
  end
  local raw = decoded(address:sub(#prefix + 1):match("^[%w_-]+") or "")
  if not raw then
    return nil
  end
  return raw:match("^(.-)%z(.*)$")
end

--- The address of a resource's buffer. The server's own (`documentUri`) ends with a better name.
---@param server string
---@param uri string
---@return string
function M.address(server, uri)
  local name = uri:gsub("[?#].*$", ""):match("([^/:]+)/*$") or "resource"
  return RESOURCE .. M.encode(server, uri) .. "/" .. name:gsub("[^%w_.-]+", "_")
end

---@param part codeagent.ResourceContents
---@return string[]
local function part_lines(part)
  if type(part.text) == "string" then
    return vim.split((part.text:gsub("\r\n", "\n"):gsub("\n$", "")), "\n", { plain = true })
  end
  local said = "[%s, %s: not shown as text; `:CodeAgent! read` saves it to a file]"
  return { said:format(text.one_line(part.mimeType or "binary", 80), text.bytes(part.size or 0)) }
end

---@param contents codeagent.ResourceContents[]
---@return string[]
local function all_lines(contents)
  if #contents == 1 then
    return part_lines(contents[1])
  end
  local lines = {}
  for _, part in ipairs(contents) do
    lines[#lines + 1] = ("── %s (%s) ──"):format(
      text.one_line(part.uri),
      text.one_line(part.mimeType or "", 80)
    )
    vim.list_extend(lines, part_lines(part))
    lines[#lines + 1] = ""
  end
  return lines
end

---@param buffer integer
---@param result codeagent.ReadResource
local function show(buffer, result)
  ui.replace(buffer, all_lines(result.contents))
  local kind = (result.contents[1] or {}).mimeType or ""
  kind = kind:gsub(";.*$", ""):lower()
  local filetype = M.filetypes[kind]
    or (kind:find("%+json$") and "json")
    or (kind:find("%+xml$") and "xml")
    or "text"
  if vim.bo[buffer].filetype ~= filetype then
    vim.bo[buffer].filetype = filetype
  end
  vim.bo[buffer].modeline = false
end

---@param buffer integer
---@param server string
---@param uri string
local function load(buffer, server, uri)
  client.execute("readResource", { server = server, uri = uri }, nil, function(failure, result)
    if not vim.api.nvim_buf_is_loaded(buffer) then
      return
    elseif failure then
      local lines = vim.list_extend({ "This resource cannot be read." }, text.lines(failure.message))
      vim.list_extend(lines, failure.hint and text.lines(failure.hint) or {})
      ui.replace(buffer, lines)
      return
    end
    show(buffer, result)
  end)
end

--- Be told of changes while the buffer is there; a server that cannot say so stays as it is.
---@param buffer integer
---@param server string
---@param uri string
local function subscribe(buffer, server, uri)
  client.execute("subscribeResource", { server = server, uri = uri }, nil, function(failure)
    if failure or not vim.api.nvim_buf_is_loaded(buffer) then
      return
    end
    vim.api.nvim_create_autocmd({ "BufUnload", "BufWipeout" }, {
      buffer = buffer,
      once = true,
      callback = function()
        if client.get() then
          client.execute("unsubscribeResource", { server = server, uri = uri }, nil, function() end)
        end
      end,
    })
  end)
end

---@param buffer integer
---@param server string
---@param uri string
local function read(buffer, server, uri)
  local bo = vim.bo[buffer]
  local is_new = bo.buftype ~= "acwrite" -- and not `nofile`, so that it is us who say that it cannot be written
  bo.modeline, bo.swapfile, bo.undofile, bo.buftype = false, false, false, "acwrite"
  bo.bufhidden, bo.modifiable = "hide", false
  M.map(buffer)
  load(buffer, server, uri)
  if is_new then
    subscribe(buffer, server, uri)
  end
end

--- The result of a call that the language server keeps.
---@param buffer integer
---@param address string
local function read_result(buffer, address)
  local bo = vim.bo[buffer]
  bo.modeline, bo.swapfile, bo.undofile, bo.buftype, bo.modifiable = false, false, false, "nofile", false
  client.ready(function(failure, lsp)
    if failure or not lsp then
      return client.tell(failure or client.failure("notReady", "the language server is not running"))
    end
    lsp:request("workspace/textDocumentContent", { uri = address }, function(err, result)
      if vim.api.nvim_buf_is_loaded(buffer) then
        local content = err and err.message or result.text
        ui.replace(buffer, text.lines((content:gsub("\n$", ""))))
        bo.filetype = not err and address:find("%.json$") and "json" or "text"
      end
    end)
  end)
end

--- `gd` opens the mention under the cursor; in buffers of ours, which no language server looks at.
---@param buffer integer
function M.map(buffer)
  ui.map(buffer, "gd", function()
    require("codeagent.mention").open_at_cursor()
  end, "open the resource that is mentioned here")
end

--- `BufReadCmd`, `BufWriteCmd` and `FileWriteCmd` of `codeagent://*`.
---@param event { event: string, buf: integer, match: string }
function M.on(event)
  local server, uri = M.decode(event.match, RESOURCE)
  if vim.startswith(event.match, "codeagent-call://tool/") then
    require("codeagent.call").on(event)
  elseif vim.startswith(event.match, "codeagent://result/") and event.event == "BufReadCmd" then
    read_result(event.buf, event.match)
  elseif not vim.startswith(event.match, RESOURCE) then
    return
  elseif event.event ~= "BufReadCmd" then
    local said = "codeagent: a resource of a server cannot be written. `:write FILE` keeps a copy."
    vim.notify(said, vim.log.levels.ERROR)
  elseif server and uri then
    read(event.buf, server, uri)
  else
    ui.set_lines(event.buf, { "This is not the address of a resource." })
  end
end

--- Reads a resource's buffer anew, if there is one.
---@param address string
function M.refresh(address)
  local server, uri = M.decode(address, RESOURCE)
  if not server or not uri then
    return
  end
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    local other_server, other_uri = M.decode(vim.api.nvim_buf_get_name(buffer), RESOURCE)
    if other_server == server and other_uri == uri and vim.api.nvim_buf_is_loaded(buffer) then
      load(buffer, server, uri)
    end
  end
end

--- Opens a resource in the current window: by server and URI, by mention, or by its address.
---@param what { server?: string, uri?: string, mention?: string, documentUri?: string }
---@param how? string `edit` (default), `split`, `vsplit`, `tabedit`
function M.open(what, how)
  local function edit(address)
    vim.cmd[how or "edit"](vim.fn.fnameescape(address))
  end
  if what.documentUri then
    return edit(what.documentUri)
  elseif what.server and what.uri then
    return edit(M.address(what.server, what.uri))
  end
  client.execute("readResource", { mention = what.mention }, nil, function(failure, result)
    if failure then
      return client.tell(failure)
    end
    edit(result.documentUri)
  end)
end

--- Saves what a resource holds to a file that the user names.
---@param what { server?: string, uri?: string, mention?: string }
function M.save(what)
  client.execute("readResource", what, nil, function(failure, result)
    if failure then
      return client.tell(failure)
    end
    local part = result.contents[1] or { text = "" }
    local name = result.documentUri:match("([^/]+)$") or "resource"
    vim.ui.input({ prompt = "Save to: ", default = name, completion = "file" }, function(path)
      if not path or path == "" then
        return
      end
      local target = vim.fs.normalize(path)
      if vim.uv.fs_lstat(target) then
        return vim.notify(("codeagent: %s is there already."):format(target), vim.log.levels.ERROR)
      end
      local file, problem = io.open(target, "wb")
      if not file then
        return vim.notify("codeagent: " .. tostring(problem), vim.log.levels.ERROR)
      end
      file:write(part.blob and vim.base64.decode(part.blob) or part.text or "")
      file:close()
      vim.notify("codeagent: saved to " .. target)
    end)
  end)
end

return M
