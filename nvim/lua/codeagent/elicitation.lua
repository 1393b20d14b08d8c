--- What servers and config files ask of the user: a form, a visit to a page, or a value. Secrets are not echoed.
local question_text = require("codeagent.question_text")
local text = require("codeagent.text")

local M = {}

---@param params codeagent.ElicitParams
---@param answer fun(value: codeagent.ElicitAnswer?)
---@param options { modal?: boolean, more?: integer }
---@return fun()? close
local function visit(params, answer, options)
  local target = require("codeagent.url").openable(params.url)
  local server = text.one_line(params.server, 60)
  if not target then
    local said = "codeagent: %s asked to open an address that is not opened: %s"
    vim.notify(said:format(server, text.one_line(params.url or "", 300)), vim.log.levels.WARN)
    return answer({ action = "decline" })
  end
  local choices = {
    { key = "y", scope = "open", label = "open it in the browser" },
    { key = "c", scope = "copy", label = "copy the address" },
    { key = "n", scope = "deny", label = "no" },
  }
  local width = math.max(20, math.min(96, vim.o.columns - 6))
  local page = question_text.url(params, target, width)
  return require("codeagent.approval").open(page, choices, "Open a page?", function(choice)
    if choice == "open" then
      local _, problem = vim.ui.open(target.href)
      if problem then
        vim.notify("codeagent: " .. text.one_line(problem), vim.log.levels.ERROR)
      end
      answer({ action = problem and "cancel" or "accept" })
    elseif choice == "copy" then
      vim.fn.setreg('"', target.href)
      pcall(vim.fn.setreg, "+", target.href)
      answer({ action = "accept" })
    else
      answer({ action = choice == "deny" and "decline" or "cancel" })
    end
  end, options)
end

--- A form or a page of a server.
---@param params codeagent.ElicitParams
---@param answer fun(value: codeagent.ElicitAnswer?)
---@param options { modal?: boolean, more?: integer }
---@return fun()? close
function M.ask(params, answer, options)
  if params.mode == "url" then
    return visit(params, answer, options)
  end
  local schema = require("codeagent.schema")
  local server = text.one_line(params.server, 80)
  if options.modal then
    vim.notify(("codeagent: %s asked something in the middle of a call that cannot wait."):format(server))
    return answer({ action = "cancel" })
  elseif schema.asks_for_secret(params.schema) then
    local said = "codeagent: %s asked for a password or another secret in a form, and was refused."
    vim.notify(said:format(server), vim.log.levels.WARN)
    return answer({ action = "decline" })
  end
  return require("codeagent.form").open({
    title = "An MCP server asks",
    fields = schema.fields(params.schema),
    page = function(width)
      local page = question_text.writer(width)
      page:say(("The MCP server “%s” asks you:"):format(server), "CodeAgentTitle")
      page:quote(params.message)
      page:say(
        "What you enter is sent to this server. Never enter a password or another secret.",
        "CodeAgentMuted"
      )
      return page
    end,
    finish = function(action, values)
      answer({ action = action, content = values })
    end,
  })
end

--- A value for `${input:…}`.
---@param params codeagent.InputParams
---@param answer fun(value: codeagent.InputAnswer?)
function M.input(params, answer)
  local prompt = ("%s (${input:%s}): "):format(
    text.one_line(params.description, 200),
    text.one_line(params.id, 60)
  )
  local function take(value)
    answer(value and { value = value } or nil)
  end
  if type(params.options) == "table" and #params.options > 0 then
    return vim.ui.select(params.options, { prompt = prompt, format_item = text.one_line }, take)
  elseif params.password then
    -- Neither echoed nor kept: no history, no register, no plugin in between. An empty answer is a no.
    local ok, value = pcall(vim.fn.inputsecret, prompt)
    vim.cmd.redraw()
    return take(ok and value ~= "" and value or nil)
  end
  vim.ui.input({ prompt = prompt, default = params.default }, take)
end

return M
