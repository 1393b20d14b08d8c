--- Decisions of the user outside of a question: asking anew, and taking back what was granted.
local client = require("codeagent.client")
local picker = require("codeagent.picker")
local state = require("codeagent.state")
local text = require("codeagent.text")

local M = {}

--- Asks whether a server may start. A launch that was denied is asked about anew: it is the user who wants it.
---@param status codeagent.ServerStatus
function M.ask_to_start(status)
  local function start()
    client.execute("start", { server = status.server }, nil, function(failure)
      if failure then
        client.tell(failure)
      end
    end)
  end
  if status.trust == "denied" and status.fingerprint then
    local params = { server = status.server, fingerprint = status.fingerprint, decision = "reset" }
    return client.execute("setTrust", params, nil, function(failure)
      if failure then
        return client.tell(failure)
      end
      start()
    end)
  end
  start()
end

function M.approve(words)
  local questions = require("codeagent.questions")
  if questions.count() > 0 and questions.focus() then
    return
  end
  local function waits(status)
    return status.state == "untrusted" and (not words[1] or status.server == words[1])
  end
  state.refresh(function()
    local waiting = vim.tbl_filter(waits, state.list())
    if #waiting == 0 then
      return vim.notify("codeagent: nothing waits for your approval.")
    elseif #waiting == 1 then
      return M.ask_to_start(waiting[1])
    end
    picker.server("Approve: ", M.ask_to_start, waits)
  end)
end

---@param approval codeagent.Approval
---@param callback fun()
local function revoke(approval, callback)
  client.execute("revokeApproval", { id = approval.id }, nil, function(failure)
    if failure then
      return client.tell(failure)
    end
    callback()
  end)
end

---@param context codeagent.Context
function M.list(_, context)
  client.execute("listApprovals", {}, nil, function(failure, result)
    if failure then
      return client.tell(failure)
    elseif #result.approvals == 0 then
      return vim.notify("codeagent: you have approved nothing that is remembered.")
    elseif context.bang then
      local left = #result.approvals
      for _, approval in ipairs(result.approvals) do
        revoke(approval, function()
          left = left - 1
          if left == 0 then
            vim.notify("codeagent: every decision was taken back.")
          end
        end)
      end
      return
    end
    vim.ui.select(result.approvals, {
      prompt = "Take back: ",
      format_item = function(approval)
        local what = approval.tool and ("%s / %s"):format(approval.server, approval.tool) or approval.server
        local kind = approval.kind == "server" and "may start" or "may be called"
        return ("%s  %s (%s)  since %s"):format(
          text.one_line(what, 80),
          kind,
          approval.scope,
          approval.since:sub(1, 10)
        )
      end,
    }, function(approval)
      if approval then
        revoke(approval, function()
          vim.notify("codeagent: taken back; the next time you are asked again.")
        end)
      end
    end)
  end)
end

return M
