--- A form as a buffer: one line a field, `<CR>` changes it, `:w` or the last line sends it, closing it cancels.
local schema = require("codeagent.schema")
local text = require("codeagent.text")
local ui = require("codeagent.ui")

local M = {}

---@class codeagent.Form
---@field page fun(width: integer): codeagent.Writer the part above the fields
---@field title string
---@field fields codeagent.Field[]
---@field finish fun(action: "accept"|"decline"|"cancel", values?: table)

--- The keys of a form, for the help.
---@type { keys: string, desc: string }[]
M.keys = {
  { keys = "<CR>", desc = "change the field, or send the form from its last line" },
  { keys = "<Tab> <S-Tab>", desc = "the next field, the one before" },
  { keys = "x", desc = "leave a field out that is not needed" },
  { keys = "<C-s> :w", desc = "send" },
  { keys = "D", desc = "decline: the server is told that you do not want to" },
  { keys = "q <Esc>", desc = "cancel" },
}

---@param field codeagent.Field
---@return string
local function shown(field)
  if field.value == nil then
    return "—"
  elseif field.kind == "boolean" then
    return field.value and "[x] yes" or "[ ] no"
  elseif field.kind == "choices" then
    return #field.value == 0 and "(none)"
      or text.one_line(table.concat(vim.tbl_map(tostring, field.value), ", "))
  elseif field.kind == "string" then
    return field.value == "" and "(empty)" or text.one_line(field.value)
  end
  return text.one_line(tostring(field.value))
end

---@class codeagent.FormView
---@field form codeagent.Form
---@field buffer integer
---@field window integer
---@field rows table<integer, codeagent.Field>
---@field order integer[]
---@field send_row integer
---@field problems table<string, string>
---@field is_over boolean
local View = {}
View.__index = View

---@param width integer
---@return codeagent.Writer
function View:write(width)
  local page = self.form.page(width)
  page:gap()
  self.rows, self.order = {}, {}
  for _, field in ipairs(self.form.fields) do
    local label = text.one_line(field.title, 60) .. (field.required and " *" or "")
    page.lines[#page.lines + 1] = ("  %s: %s"):format(label, shown(field))
    local row = #page.lines - 1
    page.marks[#page.marks + 1] = { row, 2, 2 + #label, "CodeAgentField" }
    page.marks[#page.marks + 1] = { row, 4 + #label, -1, "CodeAgentValue" }
    self.rows[row], self.order[#self.order + 1] = field, row
    if self.problems[field.name] then
      page:say("      ! " .. self.problems[field.name], "CodeAgentFailed")
    end
    if field.description then
      page:quote(field.description, "CodeAgentMuted")
    end
  end
  page:gap()
  page.lines[#page.lines + 1] = "  [ Send ]   <CR> changes a field · :w sends · D declines · q cancels"
  self.send_row = #page.lines - 1
  page.marks[#page.marks + 1] = { self.send_row, 2, 10, "CodeAgentKey" }
  page.marks[#page.marks + 1] = { self.send_row, 10, -1, "CodeAgentMuted" }
  return page
end

function View:draw()
  if not vim.api.nvim_buf_is_valid(self.buffer) then
    return
  end
  local page = self:write(vim.api.nvim_win_get_width(self.window))
  local cursor = vim.api.nvim_win_get_cursor(self.window)
  ui.set_lines(self.buffer, page.lines, page.marks)
  pcall(vim.api.nvim_win_set_cursor, self.window, { math.min(cursor[1], #page.lines), 0 })
end

---@param action "accept"|"decline"|"cancel"
---@param values? table
function View:finish(action, values)
  if not self.is_over then
    self.is_over = true
    self.form.finish(action, values)
  end
end

function View:send()
  self.problems = {}
  local values, first = vim.empty_dict(), nil
  for index, field in ipairs(self.form.fields) do
    local problem = schema.missing(field)
    if problem then
      self.problems[field.name] = problem
      first = first or index
    elseif field.value ~= nil then
      values[field.name] = field.value
    end
  end
  if not first then
    return self:finish("accept", values)
  end
  self:draw()
  vim.api.nvim_win_set_cursor(self.window, { self.order[first] + 1, 0 })
end

---@param field codeagent.Field
function View:choose_several(field)
  local chosen = {} ---@type table<any, boolean>
  for _, value in ipairs(type(field.value) == "table" and field.value or {}) do
    chosen[value] = true
  end
  local items = vim.list_extend({ 0 }, vim.tbl_keys(field.values))
  vim.ui.select(items, {
    prompt = text.one_line(field.title, 60),
    format_item = function(index)
      if index == 0 then
        return "(done)"
      end
      return ("%s %s"):format(
        chosen[field.values[index]] and "[x]" or "[ ]",
        text.one_line(field.labels[index])
      )
    end,
  }, function(index)
    if not index or index == 0 then
      return
    end
    local value = field.values[index]
    chosen[value] = not chosen[value]
    field.value = vim.tbl_filter(function(item)
      return chosen[item] == true
    end, field.values)
    self:draw()
    vim.schedule(function()
      self:choose_several(field)
    end)
  end)
end

---@param field codeagent.Field
function View:change(field)
  self.problems[field.name] = nil
  if field.kind == "boolean" then
    field.value = not field.value
    return self:draw()
  elseif field.kind == "choices" then
    return self:choose_several(field)
  elseif field.kind == "choice" then
    return vim.ui.select(vim.tbl_keys(field.values), {
      prompt = text.one_line(field.title, 60),
      format_item = function(index)
        return text.one_line(field.labels[index])
      end,
    }, function(index)
      if index then
        field.value = field.values[index]
        self:draw()
      end
    end)
  end
  local default = field.value ~= nil and tostring(field.value) or ""
  vim.ui.input({ prompt = text.one_line(field.title, 60) .. ": ", default = default }, function(typed)
    if typed == nil then
      return
    end
    local value, problem = schema.read(field, typed)
    if problem then
      self.problems[field.name] = problem
    else
      field.value = value
    end
    self:draw()
  end)
end

---@param step integer
function View:move(step)
  local row = vim.api.nvim_win_get_cursor(self.window)[1] - 1
  local stops = vim.list_extend(vim.deepcopy(self.order), { self.send_row })
  local best = step > 0 and stops[1] or stops[#stops]
  for index = step > 0 and 1 or #stops, step > 0 and #stops or 1, step do
    if (stops[index] - row) * step > 0 then
      best = stops[index]
      break
    end
  end
  vim.api.nvim_win_set_cursor(self.window, { best + 1, 0 })
end

---@return codeagent.Field?
function View:current()
  return self.rows[vim.api.nvim_win_get_cursor(self.window)[1] - 1]
end

function View:map_keys()
  local buffer = self.buffer
  ui.map(buffer, { "<CR>", "i", "c", "<2-LeftMouse>" }, function()
    local field = self:current()
    if field then
      self:change(field)
    elseif vim.api.nvim_win_get_cursor(self.window)[1] - 1 == self.send_row then
      self:send()
    end
  end, "change the field, or send")
  ui.map(buffer, "<Tab>", function()
    self:move(1)
  end, "next field")
  ui.map(buffer, "<S-Tab>", function()
    self:move(-1)
  end, "field before")
  ui.map(buffer, "x", function()
    local field = self:current()
    if field then
      field.value = nil
      self:draw()
    end
  end, "leave the field out")
  ui.map(buffer, "<C-s>", function()
    self:send()
  end, "send")
  ui.map(buffer, "D", function()
    self:finish("decline")
  end, "decline")
  ui.map(buffer, { "q", "<Esc>" }, function()
    self:finish("cancel")
  end, "cancel")
end

--- Opens a form. Returns the function that takes it away.
---@param form codeagent.Form
---@return fun() close
function M.open(form)
  local before = vim.api.nvim_get_current_win()
  local buffer = ui.scratch({ "" })
  vim.bo[buffer].buftype = "acwrite"
  pcall(vim.api.nvim_buf_set_name, buffer, "codeagent://form/" .. buffer)
  local view = setmetatable({ form = form, buffer = buffer, problems = {}, is_over = false }, View)
  local width = math.max(20, math.min(84, vim.o.columns - 6))
  local page = view:write(width)
  view.window =
    ui.float(buffer, { title = form.title, width = width, height = #page.lines + 2, zindex = 150 })
  vim.wo[view.window].cursorline = true
  ui.set_lines(buffer, page.lines, page.marks)
  vim.api.nvim_win_set_cursor(view.window, { (view.order[1] or view.send_row) + 1, 0 })
  view:map_keys()
  vim.api.nvim_create_autocmd("BufWriteCmd", {
    buffer = buffer,
    callback = function()
      view:send()
    end,
  })
  vim.api.nvim_create_autocmd("BufWipeout", {
    buffer = buffer,
    once = true,
    callback = function()
      view:finish("cancel")
    end,
  })
  return function()
    ui.close(view.window)
    if vim.api.nvim_win_is_valid(before) then
      pcall(vim.api.nvim_set_current_win, before)
    end
  end
end

return M
