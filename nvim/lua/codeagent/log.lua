--- A server's log as a buffer that follows: new lines at the end, seen as long as the cursor is on the last one.
local client = require("codeagent.client")
local text = require("codeagent.text")
local ui = require("codeagent.ui")

local M = {}

local KEPT = 5000

local GROUPS = {
  error = "CodeAgentFailed",
  critical = "CodeAgentFailed",
  alert = "CodeAgentFailed",
  emergency = "CodeAgentFailed",
  warning = "CodeAgentWarning",
  debug = "CodeAgentMuted",
}

---@param line codeagent.LogLine
---@param with_server boolean
---@return string[]
local function shown(line, with_server)
  local time = line.time:match("T(%d%d:%d%d:%d%d)") or line.time
  local source = line.source == "stderr" and "" or (line.source .. " ")
  local server = with_server and ("%s "):format(text.one_line(line.server or "host", 40)) or ""
  local lead = ("%s %s%s"):format(time, server, source)
  local lines = text.lines(line.text)
  for index, piece in ipairs(lines) do
    lines[index] = (index == 1 and lead or (" "):rep(#lead)) .. piece
  end
  return lines
end

---@param buffer integer
---@param entries codeagent.LogLine[]
---@param with_server boolean
local function append(buffer, entries, with_server)
  local last = vim.api.nvim_buf_line_count(buffer)
  local is_empty = last == 1 and vim.api.nvim_buf_get_lines(buffer, 0, 1, false)[1] == ""
  local first, lines, groups = is_empty and 0 or last, {}, {}
  for _, entry in ipairs(entries) do
    for _, line in ipairs(shown(entry, with_server)) do
      lines[#lines + 1] = line
      groups[#lines] = GROUPS[entry.level]
    end
  end
  local at_end = vim.tbl_filter(function(window)
    return vim.api.nvim_win_get_cursor(window)[1] >= last
  end, vim.fn.win_findbuf(buffer))
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, first, -1, false, lines)
  for index, group in pairs(groups) do
    local mark = { end_col = #lines[index], hl_group = group }
    vim.api.nvim_buf_set_extmark(buffer, ui.namespace, first + index - 1, 0, mark)
  end
  local surplus = vim.api.nvim_buf_line_count(buffer) - KEPT
  if surplus > 0 then
    vim.api.nvim_buf_set_lines(buffer, 0, surplus, false, {})
  end
  vim.bo[buffer].modifiable, vim.bo[buffer].modified = false, false
  for _, window in ipairs(at_end) do
    vim.api.nvim_win_set_cursor(window, { vim.api.nvim_buf_line_count(buffer), 0 })
  end
end

--- Opens the log of a server, or of all.
---@param server? string
function M.open(server)
  client.execute("logs", { server = server, lines = 500, follow = true }, nil, function(failure, result)
    if failure then
      return client.tell(failure)
    end
    local buffer = ui.scratch({ "" })
    append(buffer, result.lines, server == nil)
    local window = ui.open(buffer, "split", { height = 15 })
    vim.wo[window].wrap = false
    local title = { { "log of " .. (server or "all servers"), "CodeAgentTitle" } }
    vim.wo[window][0].winbar = ui.bar(title, "q closes")
    vim.api.nvim_win_set_cursor(window, { vim.api.nvim_buf_line_count(buffer), 0 })
    ui.map(buffer, "q", "<Cmd>close<CR>", "close")
    local stop = require("codeagent.state").subscribe(function(event, data)
      if
        event == "CodeAgentLog"
        and (server == nil or data.server == server)
        and vim.api.nvim_buf_is_valid(buffer)
      then
        append(buffer, { data }, server == nil)
      end
    end)
    vim.api.nvim_create_autocmd("BufWipeout", {
      buffer = buffer,
      once = true,
      callback = function()
        stop()
        if client.get() then
          client.execute("logs", { server = server, lines = 0 }, nil, function() end)
        end
      end,
    })
  end)
end

return M
