--- Text that others wrote, made safe to show: what is hidden becomes visible, and nothing is longer than said.
local M = {}

--- Characters that cannot be seen, or that move others: controls, format characters, separators, private use,
--- unassigned planes, tags. Pairs of first and last, in order.
local HIDDEN = {
  0x00,
  0x1F,
  0x7F,
  0xA0,
  0xAD,
  0xAD,
  0x34F,
  0x34F,
  0x600,
  0x605,
  0x61C,
  0x61C,
  0x6DD,
  0x6DD,
  0x70F,
  0x70F,
  0x890,
  0x891,
  0x8E2,
  0x8E2,
  0x115F,
  0x1160,
  0x1680,
  0x1680,
  0x17B4,
  0x17B5,
  0x180B,
  0x180F,
  0x2000,
  0x200F,
  0x2028,
  0x202F,
  0x205F,
  0x206F,
  0x2800,
  0x2800,
  0x3000,
  0x3000,
  0x3164,
  0x3164,
  0xD800,
  0xF8FF,
  0xFE00,
  0xFE0F,
  0xFEFF,
  0xFEFF,
  0xFFA0,
  0xFFA0,
  0xFFF0,
  0xFFFB,
  0xFFFE,
  0xFFFF,
  0x110BD,
  0x110BD,
  0x110CD,
  0x110CD,
  0x13430,
  0x1343F,
  0x1BCA0,
  0x1BCA3,
  0x1D173,
  0x1D17A,
  0x1FFFE,
  0x1FFFF,
  0x2FFFE,
  0x2FFFF,
  0x32000,
  0x10FFFF,
} -- stylua: ignore

---@param code integer
---@return boolean
local function is_hidden(code)
  for index = 1, #HIDDEN, 2 do
    if code < HIDDEN[index] then
      return false
    elseif code <= HIDDEN[index + 1] then
      return true
    end
  end
  return false
end

--- Marks that stand on the letter before them; more than four in a row cover other lines.
---@param code integer
---@return boolean
local function is_mark(code)
  return (code >= 0x300 and code <= 0x36F)
    or (code >= 0x483 and code <= 0x489)
    or (code >= 0x1AB0 and code <= 0x1AFF)
    or (code >= 0x1DC0 and code <= 0x1DFF)
    or (code >= 0x20D0 and code <= 0x20FF)
    or (code >= 0xFE20 and code <= 0xFE2F)
end

---@param code integer?
---@return boolean
local function is_emoji(code)
  return code ~= nil and ((code >= 0x1F000 and code <= 0x1FAFF) or (code >= 0x2190 and code <= 0x2BFF))
end

--- Whether a joiner or a variation selector is part of an emoji, as in families.
---@param codes integer[]
---@param at integer
---@return boolean
local function joins(codes, at)
  local before = codes[at - 1]
  if codes[at] == 0xFE0F then
    return is_emoji(before) or (codes[at + 1] == 0x20E3 and before ~= nil and before < 0x3A)
  end
  return codes[at] == 0x200D and (is_emoji(before) or before == 0xFE0F) and is_emoji(codes[at + 1])
end

---@param text string
---@return integer[]
local function code_points(text)
  local codes, at, size = {}, 1, #text
  while at <= size do
    local byte = text:byte(at)
    local length = byte < 0x80 and 1 or byte >= 0xF0 and 4 or byte >= 0xE0 and 3 or byte >= 0xC2 and 2 or 0
    local code = length == 1 and byte or length > 1 and byte % 2 ^ (7 - length) or nil
    for offset = 1, length - 1 do
      local more = text:byte(at + offset)
      code = code and more and more >= 0x80 and more < 0xC0 and code * 64 + more - 0x80 or nil
    end
    codes[#codes + 1] = code or 0xDC00 + byte -- a byte that is no UTF-8 stays visible as one
    at = at + (code and length or 1)
  end
  return codes
end

---@param text string
---@param newlines boolean
---@return string
local function shown(text, newlines)
  local codes, out, marks = code_points(text), {}, 0
  for at, code in ipairs(codes) do
    marks = is_mark(code) and marks + 1 or 0
    if code == 10 and newlines then
      out[at] = "\n"
    elseif code == 9 then
      out[at] = newlines and "\t" or " "
    elseif marks > 4 then
      out[at] = marks == 5 and "…" or ""
    elseif is_hidden(code) and not joins(codes, at) then
      out[at] = ("\\u{%X}"):format(code)
    else
      out[at] = vim.fn.nr2char(code, true)
    end
  end
  return table.concat(out)
end

---@param count integer
---@return string
function M.number(count)
  local digits = tostring(count):reverse():gsub("(%d%d%d)", "%1,"):reverse()
  return (digits:gsub("^,", ""))
end

--- `1 tool`, `2 tools`.
---@param count integer
---@param noun string
---@return string
function M.counted(count, noun)
  return ("%s %s%s"):format(M.number(count), noun, count == 1 and "" or "s")
end

--- The text with every hidden character written out (`\u{202E}`); newlines and tabs stay.
--- A text of more than `limit` bytes is cut, and says so.
---@param text any
---@param limit? integer
---@return string
function M.visible(text, limit)
  text = (type(text) == "string" and text or tostring(text)):gsub("\r\n", "\n")
  local cut = ""
  if limit and #text > limit then
    local last = limit
    while last > 0 and (text:byte(last + 1) or 0) >= 0x80 and text:byte(last + 1) < 0xC0 do
      last = last - 1
    end
    cut = ("… [%s more characters]"):format(M.number(#text - last))
    text = text:sub(1, last)
  end
  if text:find("[^\n\t\32-\126]") then
    text = shown(text, true)
  end
  return text .. cut
end

--- The text on one line, for labels: white space folded, hidden characters visible, cut at `limit` bytes (200).
---@param text any
---@param limit? integer
---@return string
function M.one_line(text, limit)
  local folded = vim.trim((tostring(text):gsub("%s+", " ")))
  if #folded > (limit or 200) or folded:find("[^\32-\126]") then
    folded = M.visible(folded, limit or 200)
  end
  return folded
end

--- The text in lines, hidden characters visible.
---@param text any
---@return string[]
function M.lines(text)
  return vim.split(M.visible(text), "\n", { plain = true })
end

--- Text of others for 'statusline' and 'winbar', where `%` means something.
---@param text any
---@param limit? integer
---@return string
function M.bar(text, limit)
  return (M.one_line(text, limit):gsub("%%", "%%%%"))
end

--- Lines that fit a width, each behind a margin, so that none of them can pass for a line of ours. Nothing is cut.
---@param text any
---@param width integer
---@param margin string
---@return string[]
function M.quoted(text, width, margin)
  local out = {}
  for _, line in ipairs(M.lines(text)) do
    local rest, lead = line:gsub("\t", "  "), margin
    repeat
      local room = math.max(8, width - vim.fn.strdisplaywidth(lead))
      local piece = rest
      if vim.fn.strdisplaywidth(rest) > room then
        piece = vim.fn.strcharpart(rest, 0, room)
        while vim.fn.strdisplaywidth(piece) > room do
          piece = vim.fn.strcharpart(piece, 0, vim.fn.strchars(piece) - 1)
        end
        local space = piece:match(".*%s()")
        if space and space > #piece / 2 then
          piece = piece:sub(1, space - 1)
        end
      end
      out[#out + 1] = lead .. piece
      rest, lead = rest:sub(#piece + 1), margin .. "↪ "
    until rest == ""
  end
  return out
end

--- Bytes as people read them.
---@param count integer
---@return string
function M.bytes(count)
  if count < 1024 then
    return count .. " B"
  end
  local value, unit = count / 1024, 1
  local units = { "KB", "MB", "GB" }
  while value >= 1024 and unit < #units do
    value, unit = value / 1024, unit + 1
  end
  return (value < 10 and "%.1f %s" or "%.0f %s"):format(value, units[unit])
end

return M
