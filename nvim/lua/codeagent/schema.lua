--- JSON Schemas of tools and forms: example arguments, and fields with a check for what is typed into them.
local M = {}

local DEPTH = 4

---@param value any
---@return boolean
local function present(value)
  return value ~= nil and value ~= vim.NIL
end

--- The names of an object's properties: the required ones first, in their order, then the others.
---@param schema table
---@return string[] names
---@return table<string, boolean> required
function M.names(schema)
  local properties = type(schema.properties) == "table" and schema.properties or {}
  local names, required = {}, {}
  for _, name in ipairs(type(schema.required) == "table" and schema.required or {}) do
    if properties[name] ~= nil and not required[name] then
      names[#names + 1], required[name] = name, true
    end
  end
  for name in vim.spairs(properties) do
    names[#names + 1] = not required[name] and name or nil
  end
  return names, required
end

--- What a schema says of one property; `true` and other oddities say nothing.
---@param schema table
---@param name string
---@return table
function M.property(schema, name)
  local property = schema.properties[name]
  return type(property) == "table" and property or {}
end

---@param schema any
---@return string?
local function type_of(schema)
  local kind = schema.type
  if type(kind) == "table" then
    for _, item in ipairs(kind) do
      if item ~= "null" then
        return item
      end
    end
    return kind[1]
  end
  return kind or (schema.properties and "object") or (schema.items and "array") or nil
end

--- An example that fits a schema as far as that can be told: its default, its first value, or an empty one.
---@param schema any
---@param depth? integer
---@return any
function M.example(schema, depth)
  depth = depth or 0
  if type(schema) ~= "table" then
    return vim.NIL
  end
  for _, key in ipairs({ "default", "const" }) do
    if present(schema[key]) then
      return schema[key]
    end
  end
  if type(schema.enum) == "table" and #schema.enum > 0 then
    return schema.enum[1]
  end
  for _, key in ipairs({ "anyOf", "oneOf", "allOf" }) do
    local branch = type(schema[key]) == "table" and schema[key][1]
    if branch and not type_of(schema) and depth < DEPTH then
      return M.example(branch, depth + 1)
    end
  end
  local kind = type_of(schema)
  if kind == "object" then
    return depth < DEPTH and M.arguments(schema, depth + 1) or vim.empty_dict()
  end
  local plain = { string = "", array = {}, boolean = false, number = 0, integer = 0 }
  local value = plain[kind]
  if (kind == "number" or kind == "integer") and type(schema.minimum) == "number" then
    value = math.max(0, schema.minimum)
  end
  if value == nil then
    return vim.NIL
  end
  return value
end

--- Arguments to begin with: what is required, and what has a default.
---@param schema any
---@param depth? integer
---@return table
function M.arguments(schema, depth)
  local arguments = vim.empty_dict()
  local names, required = M.names(type(schema) == "table" and schema or {})
  for _, name in ipairs(names) do
    local property = M.property(schema, name)
    if required[name] or present(property.default) then
      arguments[name] = M.example(property, depth)
    end
  end
  return arguments
end

---@class codeagent.Field
---@field name string
---@field title string
---@field description? string
---@field kind "string"|"number"|"integer"|"boolean"|"choice"|"choices"
---@field required boolean
---@field values? string[]
---@field labels? string[]
---@field schema table
---@field value any nil: left out

---@param schema table
---@return string[]? values
---@return string[]? labels
local function values_of(schema)
  local values, labels = {}, {}
  if type(schema.enum) == "table" then
    for index, value in ipairs(schema.enum) do
      values[index] = value
      labels[index] = type(schema.enumNames) == "table" and schema.enumNames[index] or tostring(value)
    end
    return values, labels
  end
  local branches = schema.oneOf or schema.anyOf
  if type(branches) ~= "table" then
    return nil
  end
  for index, branch in ipairs(branches) do
    if type(branch) ~= "table" or not present(branch.const) then
      return nil
    end
    values[index] = branch.const
    labels[index] = present(branch.title) and ("%s (%s)"):format(branch.title, branch.const)
      or tostring(branch.const)
  end
  return values, labels
end

--- The fields of a form, as elicitation knows them: texts, numbers, yes or no, one or several of a list.
---@param schema any
---@return codeagent.Field[]
function M.fields(schema)
  local fields = {}
  local names, required = M.names(type(schema) == "table" and schema or {})
  for _, name in ipairs(names) do
    local property = M.property(schema, name)
    local kind = type_of(property)
    local items = kind == "array" and type(property.items) == "table" and property.items or nil
    local values, labels = values_of(items or property)
    if not vim.tbl_contains({ "number", "integer", "boolean" }, kind) then
      kind = "string"
    end
    local value = property.default
    if not present(value) then
      value = nil
      if kind == "boolean" and required[name] then
        value = false
      end
    end
    fields[#fields + 1] = {
      name = name,
      title = present(property.title) and property.title or name,
      description = present(property.description) and property.description or nil,
      kind = values and (items and "choices" or "choice") or kind,
      required = required[name] or false,
      values = values,
      labels = labels,
      schema = property,
      value = value,
    }
  end
  return fields
end

local SECRET =
  { "password", "passwd", "passphrase", "secret", "token", "api key", "private key", "credential" }

--- Whether a form asks for a secret: servers must not, and are refused.
---@param schema any
---@return boolean
function M.asks_for_secret(schema)
  for _, field in ipairs(M.fields(schema)) do
    local said = (" %s %s ")
      :format(field.name:gsub("(%l)(%u)", "%1 %2"), field.title)
      :lower()
      :gsub("[^%a]+", " ")
    for _, word in ipairs(SECRET) do
      if
        said:find(" " .. word .. "s? ")
        or said:gsub(" ", ""):find("apikey", 1, true)
        or field.schema.format == "password"
      then
        return true
      end
    end
  end
  return false
end

local FORMATS = {
  email = { "^[^%s@]+@[^%s@]+$", "an e-mail address" },
  uri = { "^%a[%w+.-]*:.", "an address, as in https://…" },
  date = { "^%d%d%d%d%-%d%d%-%d%d$", "a date, as in 2026-11-29" },
  ["date-time"] = { "^%d%d%d%d%-%d%d%-%d%dT%d%d:%d%d", "a date and time, as in 2026-11-29T12:00:00Z" },
}

--- Reads what was typed into a field; nil and a sentence where it does not fit.
---@param field codeagent.Field
---@param typed string
---@return any value
---@return string? problem
function M.read(field, typed)
  local schema = field.schema
  if field.kind == "number" or field.kind == "integer" then
    local number = tonumber(typed)
    if not number or number ~= number or math.abs(number) == math.huge or typed:find("x") then
      return nil, "a number"
    elseif field.kind == "integer" and number % 1 ~= 0 then
      return nil, "a whole number"
    elseif type(schema.minimum) == "number" and number < schema.minimum then
      return nil, "at least " .. schema.minimum
    elseif type(schema.maximum) == "number" and number > schema.maximum then
      return nil, "at most " .. schema.maximum
    end
    return number
  end
  local length = vim.fn.strchars(typed)
  local format = FORMATS[schema.format]
  if type(schema.minLength) == "number" and length < schema.minLength then
    return nil, ("at least %d characters"):format(schema.minLength)
  elseif type(schema.maxLength) == "number" and length > schema.maxLength then
    return nil, ("at most %d characters"):format(schema.maxLength)
  elseif format and not typed:find(format[1]) then
    return nil, format[2]
  end
  return typed
end

--- What is missing before a form can be sent; nil where nothing is.
---@param field codeagent.Field
---@return string?
function M.missing(field)
  if field.required and field.value == nil then
    return "needed"
  elseif field.kind == "choices" and type(field.value) == "table" then
    local least, most = field.schema.minItems, field.schema.maxItems
    if type(least) == "number" and #field.value < least then
      return ("at least %d"):format(least)
    elseif type(most) == "number" and #field.value > most then
      return ("at most %d"):format(most)
    end
  elseif field.kind == "string" and type(field.value) == "string" then
    local _, problem = M.read(field, field.value)
    return problem
  end
  return nil
end

return M
