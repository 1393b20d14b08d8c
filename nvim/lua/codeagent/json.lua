--- JSON as people read it: values written out in a stable order, and texts laid out anew without reading them.
local M = {}

--- The first integer that stands for its neighbours as well in Lua's numbers.
local EXACT = 2 ^ 53

---@param value any
---@return boolean
local function is_list(value)
  return type(value) == "table"
    and getmetatable(value) ~= getmetatable(vim.empty_dict())
    and vim.islist(value)
end

--- A value as JSON text, indented, keys in order. `first`: keys that come first, for the outermost object.
---@param value any
---@param first? string[]
---@param indent? string
---@return string
function M.pretty(value, first, indent)
  indent = indent or ""
  local inner, parts = indent .. "  ", {}
  if type(value) ~= "table" then
    return vim.json.encode(value)
  elseif is_list(value) then
    for _, item in ipairs(value) do
      parts[#parts + 1] = inner .. M.pretty(item, nil, inner)
    end
  else
    local keys, seen = {}, {}
    for _, key in ipairs(first or {}) do
      if value[key] ~= nil and not seen[key] then
        keys[#keys + 1], seen[key] = key, true
      end
    end
    for key in vim.spairs(value) do
      keys[#keys + 1] = not seen[key] and key or nil
    end
    for _, key in ipairs(keys) do
      parts[#parts + 1] = ("%s%s: %s"):format(
        inner,
        vim.json.encode(tostring(key)),
        M.pretty(value[key], nil, inner)
      )
    end
  end
  local open, close = is_list(value) and "[" or "{", is_list(value) and "]" or "}"
  if #parts == 0 then
    return open .. close
  end
  return ("%s\n%s\n%s%s"):format(open, table.concat(parts, ",\n"), indent, close)
end

--- The tokens of a JSON text: strings whole, everything else without white space.
---@param text string
---@return fun(): string?
local function tokens(text)
  local at = 1
  return function()
    at = text:find("%S", at)
    if not at then
      return nil
    end
    local char = text:sub(at, at)
    local last = at
    if char == '"' then
      repeat
        last = text:find('["\\]', last + 1) or #text
        local escaped = text:sub(last, last) == "\\"
        last = escaped and last + 1 or last
      until not escaped or last >= #text
    elseif not char:find("[%[%]{}:,]") then
      last = (text:find("[%s%[%]{}:,]", at) or #text + 1) - 1
    end
    local token = text:sub(at, last)
    at = last + 1
    return token
  end
end

--- A JSON object or list, as text, laid out with one item a line: numbers and order stay as they are.
--- Nil for a text that is none.
---@param text string
---@return string?
function M.layout(text)
  if not text:find("^%s*[%[{]") or not pcall(vim.json.decode, text) then
    return nil
  end
  local out, depth, last = {}, 0, ""
  for token in tokens(text) do
    local opens, closes = token == "{" or token == "[", token == "}" or token == "]"
    if closes then
      depth = depth - 1
    end
    local is_empty = closes and (last == "{" or last == "[")
    if (last == "{" or last == "[" or last == "," or closes) and not is_empty then
      out[#out + 1] = "\n" .. ("  "):rep(depth)
    end
    out[#out + 1] = token == ":" and ": " or token
    depth, last = opens and depth + 1 or depth, token
  end
  return table.concat(out)
end

--- How deep each line of a laid-out text is folded, for 'foldexpr': an item with its brackets is one fold.
---@param lines string[]
---@return string[]
function M.folds(lines)
  local levels, depth = {}, 0
  for index, line in ipairs(lines) do
    local opens, closes = line:find("[%[{]$") ~= nil, line:find("^%s*[%]}],?$") ~= nil
    if opens then
      depth = depth + 1
      levels[index] = ">" .. depth
    elseif closes and depth > 0 then
      levels[index] = "<" .. depth
      depth = depth - 1
    else
      levels[index] = tostring(depth)
    end
  end
  return levels
end

--- An integer of a JSON text that Lua cannot hold exactly, so that it must not be sent as something else.
---@param text string
---@return string?
function M.inexact(text)
  for token in tokens(text) do
    local number = token:find("^%-?%d+$") and tonumber(token)
    if number and math.abs(number) >= EXACT and ("%.0f"):format(number) ~= token then
      return token
    end
  end
  return nil
end

---@param text string
---@param what string
---@return table? value
---@return string? problem
local function object(text, what)
  local ok, value = pcall(vim.json.decode, text)
  if not ok then
    return nil, ("The %s not valid JSON: %s"):format(what, (tostring(value):gsub("^.-:%d+: ", "")))
  elseif type(value) ~= "table" or is_list(value) then
    return nil, ("The %s no JSON object: { … }."):format(what)
  end
  local number = M.inexact(text)
  if number then
    return nil, ("Neovim cannot send %s exactly: give the tool a smaller number, or a string."):format(number)
  end
  return value
end

--- Reads the arguments of a call.
---@param text string
---@return table? arguments
---@return string? problem
function M.arguments(text)
  if vim.trim(text) == "" then
    return vim.empty_dict()
  end
  return object(text, "arguments are")
end

--- Reads a call, `{ "tool": …, "arguments": { … } }`.
---@param text string
---@return { tool: string, arguments: table }? call
---@return string? problem
function M.call(text)
  local value, problem = object(text, "call is")
  if not value then
    return nil, problem
  elseif type(value.tool) ~= "string" then
    return nil, 'The call names no tool: "tool": "mcp__server__tool".'
  elseif value.arguments == nil or value.arguments == vim.NIL then
    value.arguments = vim.empty_dict()
  elseif type(value.arguments) ~= "table" or is_list(value.arguments) then
    return nil, "The arguments are no JSON object: { … }."
  end
  return { tool = value.tool, arguments = value.arguments }
end

return M
