--- Mentions (`@server:uri`) in buffers that no language server looks at, and what they stand for.
local client = require("codeagent.client")
local text = require("codeagent.text")

local M = {}

--- The mention around a column of a line, as `@server:uri`; nil where there is none.
---@param line string
---@param column integer from one
---@return string?
function M.mention_at(line, column)
  local at = 1
  while true do
    local first, last = line:find('@[^%s:"\\@][^%s:]*:%S+', at)
    local quoted_first, quoted_last = line:find('@"[^"]+":%S+', at)
    if quoted_first and (not first or quoted_first <= first) then
      first, last = quoted_first, quoted_last
    end
    if not first or not last then
      return nil
    end
    local before = line:sub(first - 1, first - 1)
    local found = line:sub(first, last):gsub("[.,;:!?%)%]}>\"'`*]+$", "")
    local is_mention = first == 1 or not before:find("[%w.@\\]")
    if is_mention and column >= first and column < first + #found then
      return found
    end
    at = last + 1
  end
end

--- Opens the resource that is mentioned under the cursor.
function M.open_at_cursor()
  local column = vim.api.nvim_win_get_cursor(0)[2] + 1
  local mention = M.mention_at(vim.api.nvim_get_current_line(), column)
  if mention then
    return require("codeagent.documents").open({ mention = mention })
  end
  vim.notify("codeagent: there is no mention (@server:uri) under the cursor.")
end

--- Puts a text, with what its mentions stand for, into the registers.
---@param params codeagent.ResolveMentionsParams
function M.copy_expanded(params)
  client.execute("resolveMentions", params, nil, function(failure, result)
    if failure then
      return client.tell(failure)
    end
    local parts = {}
    for _, mention in ipairs(result.mentions) do
      for _, part in ipairs(mention.contents or {}) do
        parts[#parts + 1] = ("@%s:%s\n%s"):format(mention.server, mention.uri, part.text or "[binary]")
      end
    end
    vim.fn.setreg('"', table.concat(parts, "\n\n"))
    pcall(vim.fn.setreg, "+", table.concat(parts, "\n\n"))
    vim.notify(("codeagent: copied %s"):format(text.counted(#parts, "resource")))
  end)
end

return M
