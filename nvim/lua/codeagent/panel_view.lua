--- What the panel draws around its text: the line above, and the colours of the lines that are on the screen.
local state = require("codeagent.state")
local ui = require("codeagent.ui")

local M = {}

--- The line above the tree: how many servers are how.
---@return string
function M.bar()
  local counts = state.counts()
  local parts = { { ("%d of %d ready"):format(counts.ready, counts.servers), "CodeAgentMuted" } }
  for _, row in ipairs({
    { "starting", "CodeAgentBusy" },
    { "failed", "CodeAgentFailed" },
    { "waiting", "CodeAgentWaiting" },
  }) do
    if counts[row[1]] > 0 then
      table.insert(parts, { ("· %d %s"):format(counts[row[1]], row[1]), row[2] })
    end
  end
  return ui.bar(parts, "? help · q close")
end

--- Only the lines on the screen are painted: five thousand tools cost what twenty do.
---@param current fun(): codeagent.Panel?
function M.paint(current)
  vim.api.nvim_set_decoration_provider(ui.namespace, {
    on_win = function(_, _, buffer, first, last)
      local view = current()
      if not view or buffer ~= view.buffer then
        return false
      end
      for line = first, last do
        for _, piece in ipairs(view.drawn.marks[line + 1] or {}) do
          local options = { end_col = piece[2], hl_group = piece[3], ephemeral = true, strict = false }
          vim.api.nvim_buf_set_extmark(buffer, ui.namespace, line, piece[1], options)
        end
      end
      return false
    end,
  })
end

return M
