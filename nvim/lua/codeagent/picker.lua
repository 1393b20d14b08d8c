--- Choices by `vim.ui.select` and `vim.ui.input`, so that every picker plugin works.
local client = require("codeagent.client")
local text = require("codeagent.text")

local M = {}

---@generic T
---@param items T[]
---@param prompt string
---@param kind string
---@param format fun(item: T): string
---@param callback fun(item: T)
local function select(items, prompt, kind, format, callback)
  if #items == 0 then
    return vim.notify(("codeagent: there are no %ss."):format(kind))
  end
  vim.ui.select(items, { prompt = prompt, kind = "codeagent." .. kind, format_item = format }, function(item)
    if item then
      callback(item)
    end
  end)
end

---@param name string
---@param params table
---@param callback fun(result: any)
local function list(name, params, callback)
  client.execute(name, params, nil, function(failure, result)
    if failure then
      return client.tell(failure)
    elseif #result.pending > 0 then
      local late = table.concat(vim.tbl_map(text.one_line, result.pending), ", ")
      vim.notify(("codeagent: still starting, and not in the list: %s"):format(late))
    end
    callback(result)
  end)
end

--- A server.
---@param prompt string
---@param callback fun(status: codeagent.ServerStatus)
---@param fits? fun(status: codeagent.ServerStatus): boolean
function M.server(prompt, callback, fits)
  require("codeagent.state").refresh(function()
    local servers = vim.tbl_filter(fits or function()
      return true
    end, require("codeagent.state").list())
    select(servers, prompt, "server", function(status)
      return ("%s  (%s)"):format(
        text.one_line(status.server, 60),
        require("codeagent.look").words[status.state] or status.state
      )
    end, callback)
  end)
end

---@param tool codeagent.Tool
---@return string
local function tool_line(tool)
  local effect = tool.capability == "read" and "" or (" [%s]"):format(tool.capability)
  local description = text.one_line(tool.description or "", 120)
  return ("%s / %s%s  %s"):format(
    text.one_line(tool.server, 40),
    text.one_line(tool.tool, 60),
    effect,
    description
  )
end

--- A tool, of one server or of all.
---@param server? string
---@param callback fun(tool: codeagent.Tool)
---@param with_disabled? boolean
function M.tool(server, callback, with_disabled)
  list("listTools", { server = server, includeDisabled = with_disabled or nil }, function(result)
    local tools = vim.tbl_filter(function(tool)
      return tool.kind == "tool"
    end, result.tools)
    select(tools, "Tool: ", "tool", tool_line, callback)
  end)
end

--- The tool that a name means: its full name, `server/tool`, or its own name where only one server has it.
---@param name string
---@param callback fun(tool: codeagent.Tool)
function M.tool_named(name, callback)
  list("listTools", {}, function(result)
    local alike = {}
    for _, tool in ipairs(result.tools) do
      if tool.name == name or (tool.kind == "tool" and tool.server .. "/" .. tool.tool == name) then
        return callback(tool)
      elseif tool.kind == "tool" and tool.tool == name then
        alike[#alike + 1] = tool
      end
    end
    if #alike == 1 then
      return callback(alike[1])
    elseif #alike > 1 then
      return select(alike, "Which one: ", "tool", tool_line, callback)
    end
    vim.notify(("codeagent: there is no tool `%s`."):format(text.one_line(name)), vim.log.levels.ERROR)
  end)
end

--- Asks for the values of a template's variables, one after the other.
---@param server string
---@param template string
---@param callback fun(uri: string)
function M.fill_template(server, template, callback)
  local names, values = {}, {}
  for expression in template:gmatch("{([^}]+)}") do
    for name in expression:gsub("^[+#./;?&]", ""):gmatch("[^,]+") do
      names[#names + 1] = (name:gsub("[*:].*$", ""))
    end
  end
  local function ask(index)
    local name = names[index]
    if not name then
      local uri = template:gsub("{[+#./;?&]?([^}]+)}", function(expression)
        return table.concat(
          vim.tbl_map(function(item)
            return vim.uri_encode(values[item:gsub("[*:].*$", "")] or "", "rfc3986")
          end, vim.split(expression, ",")),
          ","
        )
      end)
      return callback(uri)
    end
    M.argument(server, { template = template }, name, values, false, function(value)
      values[name] = value
      ask(index + 1)
    end)
  end
  ask(1)
end

--- A value of an argument: chosen where the server knows values, else typed.
---@param server string
---@param ref codeagent.CompletionRef
---@param name string
---@param context table<string, string>
---@param is_optional boolean
---@param callback fun(value: string)
function M.argument(server, ref, name, context, is_optional, callback)
  local prompt = text.one_line(name, 60) .. (is_optional and " (may be empty): " or ": ")
  local function typed()
    vim.ui.input({ prompt = prompt }, function(value)
      if value and (value ~= "" or is_optional) then
        callback(value)
      end
    end)
  end
  local params = { server = server, ref = ref, argument = { name = name, value = "" } }
  params.context = next(context) and { arguments = context } or nil
  client.execute("completeArgument", params, nil, function(failure, result)
    if failure or #result.values == 0 then
      return typed()
    end
    local items = vim.list_extend({ "" }, result.values)
    vim.ui.select(items, {
      prompt = prompt,
      format_item = function(item)
        return item == "" and (is_optional and "(nothing, or type another value)" or "(type another value)")
          or text.one_line(item)
      end,
    }, function(item)
      if item == "" then
        typed()
      elseif item then
        callback(item)
      end
    end)
  end)
end

--- A resource, or one made from a template.
---@param server? string
---@param callback fun(resource: { server: string, uri: string, documentUri?: string })
function M.resource(server, callback)
  list("listResources", { server = server }, function(result)
    local items = vim.list_extend(vim.list_slice(result.resources), result.templates)
    select(items, "Resource: ", "resource", function(item)
      local title = item.title and ("  %s"):format(text.one_line(item.title, 60)) or ""
      return ("@%s:%s%s"):format(
        text.one_line(item.server, 40),
        text.one_line(item.uri or item.uriTemplate),
        title
      )
    end, function(item)
      if item.uri then
        return callback(item)
      end
      M.fill_template(item.server, item.uriTemplate, function(uri)
        callback({ server = item.server, uri = uri })
      end)
    end)
  end)
end

--- Asks for the arguments of a prompt, and gets it.
---@param prompt codeagent.Prompt
---@param callback fun(filled: codeagent.FilledPrompt, prompt: codeagent.Prompt)
function M.fill_prompt(prompt, callback)
  local values = {}
  local function ask(index)
    local argument = prompt.arguments[index]
    if argument then
      return M.argument(
        prompt.server,
        { prompt = prompt.name },
        argument.name,
        values,
        not argument.required,
        function(value)
          values[argument.name] = value ~= "" and value or nil
          ask(index + 1)
        end
      )
    end
    local params = { server = prompt.server, name = prompt.name, arguments = next(values) and values or nil }
    client.execute("getPrompt", params, nil, function(failure, filled)
      if failure then
        return client.tell(failure)
      end
      callback(filled, prompt)
    end)
  end
  ask(1)
end

--- A prompt: chosen by name (`server/name`), or from a list; then filled in.
---@param name? string
---@param callback fun(filled: codeagent.FilledPrompt, prompt: codeagent.Prompt)
function M.prompt(name, callback)
  list("listPrompts", {}, function(result)
    for _, prompt in ipairs(result.prompts) do
      if name and (prompt.server .. "/" .. prompt.name == name or prompt.name == name) then
        return M.fill_prompt(prompt, callback)
      end
    end
    if name then
      local said = "codeagent: there is no prompt `%s`."
      return vim.notify(said:format(text.one_line(name)), vim.log.levels.ERROR)
    end
    select(result.prompts, "Prompt: ", "prompt", function(prompt)
      local title = text.one_line(prompt.title or prompt.description or "", 80)
      return ("%s / %s  %s"):format(text.one_line(prompt.server, 40), text.one_line(prompt.name, 60), title)
    end, function(prompt)
      M.fill_prompt(prompt, callback)
    end)
  end)
end

--- Shows a prompt that was filled in, to be yanked.
---@param filled codeagent.FilledPrompt
---@param prompt codeagent.Prompt
function M.show_prompt(filled, prompt)
  local ui = require("codeagent.ui")
  local buffer = ui.scratch(text.lines(filled.text), { filetype = "markdown" })
  require("codeagent.documents").map(buffer)
  ui.map(buffer, "q", "<Cmd>close<CR>", "close")
  local window = ui.open(buffer, require("codeagent.config").get().result, { title = "Prompt", height = 12 })
  local names = { { prompt.name, "CodeAgentPrompt" }, { prompt.server, "CodeAgentServer" } }
  vim.wo[window][0].winbar = ui.bar(names, ":%y yanks it, q closes")
end

return M
