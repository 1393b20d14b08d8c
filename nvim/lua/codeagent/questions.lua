--- Questions of the server to the user, one at a time and in order. A question that nobody answers is a no.
local M = {}

--- Milliseconds after which the server takes silence for a no.
M.PATIENCE = 120000

---@class codeagent.Question
---@field method string
---@field params any
---@field answer fun(value: any) at most once; nil is a no
---@field close? fun() takes its window away
---@field is_over boolean
---@field timer uv.uv_timer_t

local queue = {} ---@type codeagent.Question[]
local shown ---@type codeagent.Question?
local waits_for_normal = false

--- Who asks what: the module and its function `(params, answer, options) -> close`.
local ASKERS = {
  ["codeagent/approveServer"] = { "codeagent.approval", "server" },
  ["codeagent/approveCall"] = { "codeagent.approval", "call" },
  ["codeagent/elicit"] = { "codeagent.elicitation", "ask" },
  ["codeagent/input"] = { "codeagent.elicitation", "input" },
}

--- How many questions are open.
---@return integer
function M.count()
  return #queue + (shown and 1 or 0)
end

local function announce()
  require("codeagent.state").announce("CodeAgentQuestion", { open = M.count() })
end

--- Whether a window may open now: never under somebody's typing.
---@return boolean
local function is_free()
  local mode = vim.api.nvim_get_mode()
  return mode.mode == "n" and not mode.blocking and vim.fn.getcmdwintype() == ""
end

local show_next ---@type fun()

---@param question codeagent.Question
---@param value any
local function finish(question, value)
  if question.is_over then
    return
  end
  question.is_over = true
  question.timer:stop()
  question.timer:close()
  queue = vim.tbl_filter(function(other)
    return other ~= question
  end, queue)
  if shown == question then
    shown = nil
  end
  if question.close then
    pcall(question.close)
  end
  question.answer(value)
  announce()
  vim.schedule(show_next)
end

local function wait_for_normal()
  if waits_for_normal then
    return
  end
  waits_for_normal = true
  local server = require("codeagent.text").one_line((queue[1].params or {}).server or "a config file", 60)
  vim.notify(("codeagent: %s asks you something. Leave this mode, and the question opens."):format(server))
  vim.api.nvim_create_autocmd({ "ModeChanged", "CmdwinLeave" }, {
    group = vim.api.nvim_create_augroup("codeagent.questions", {}),
    callback = function()
      vim.schedule(function()
        if is_free() then
          pcall(vim.api.nvim_del_augroup_by_name, "codeagent.questions")
          waits_for_normal = false
          show_next()
        end
      end)
    end,
  })
end

show_next = function()
  if shown or #queue == 0 then
    return
  end
  local is_modal = require("codeagent.client").waiting > 0
  if not is_modal and not is_free() then
    return wait_for_normal()
  end
  local question = table.remove(queue, 1) --[[@as codeagent.Question]]
  shown = question
  local ok, problem = pcall(function()
    local asker = assert(ASKERS[question.method], "nobody asks " .. question.method)
    local ask = require(asker[1])[asker[2]]
    question.close = ask(question.params, function(value)
      finish(question, value)
    end, { modal = is_modal, more = #queue })
  end)
  if not ok then
    vim.notify("codeagent: " .. tostring(problem), vim.log.levels.ERROR)
    finish(question, nil)
  elseif question.is_over and question.close then
    pcall(question.close)
  end
end

--- Puts a question into the queue; `answer` is called once, with nil for a no.
---@param method string
---@param params any
---@param answer fun(value: any)
function M.put(method, params, answer)
  local timer = assert(vim.uv.new_timer())
  local question = { method = method, params = params, answer = answer, is_over = false, timer = timer }
  timer:start(
    M.PATIENCE,
    0,
    vim.schedule_wrap(function()
      finish(question, nil)
    end)
  )
  queue[#queue + 1] = question
  announce()
  if require("codeagent.client").waiting > 0 then
    show_next()
  else
    vim.schedule(show_next)
  end
end

--- Brings the open question to the front; false where there is none.
---@return boolean
function M.focus()
  if not shown then
    show_next()
    return shown ~= nil
  end
  local approval = package.loaded["codeagent.approval"]
  local window = approval and approval.window
  if window and vim.api.nvim_win_is_valid(window) then
    vim.api.nvim_set_current_win(window)
  end
  return true
end

--- Takes one question back, answered with no: the one that is shown, else the oldest.
function M.drop()
  local question = shown or queue[1]
  if question then
    finish(question, nil)
  end
end

--- Takes every question back: there is nobody left to answer.
function M.drop_all()
  while M.count() > 0 do
    M.drop()
  end
end

return M
