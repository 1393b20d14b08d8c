-- Writes doc/codeagent.txt from the tables and annotations of the plugin: nvim --clean -l scripts/help.lua [--check]
local here = vim.fs.dirname(vim.fs.abspath(debug.getinfo(1, "S").source:sub(2)))
local root = vim.fs.dirname(here)
vim.opt.runtimepath:prepend(root)

local WIDTH = 78
local out = {}

local function add(line)
  out[#out + 1] = line or ""
end

--- Text in lines of the help's width; `first` leads the first of them, `indent` the others.
local function wrap(text, indent, first)
  local line, is_empty = first or indent, true
  for word in text:gmatch("%S+") do
    if not is_empty and vim.fn.strdisplaywidth(line .. " " .. word) > WIDTH then
      add(line)
      line, is_empty = indent, true
    end
    line = line .. ((is_empty and (line == "" or line:find("%s$"))) and "" or " ") .. word
    is_empty = false
  end
  add(line)
end

local function section(title, tag)
  add(("="):rep(WIDTH))
  local mark = ("*%s*"):format(tag)
  add(title .. (" "):rep(math.max(1, WIDTH - #title - #mark)) .. mark)
end

local function tagged(tag)
  local mark = ("*%s*"):format(tag)
  add((" "):rep(math.max(0, WIDTH - #mark)) .. mark)
end

local function entry(name, text, column)
  local first = "  " .. name
  local gap = column or 26
  if vim.fn.strdisplaywidth(first) >= gap then
    add(first)
    first = ""
  end
  wrap(text, (" "):rep(gap), first .. (" "):rep(gap - vim.fn.strdisplaywidth(first)))
end

--- The annotations of a module: fields of a class, and functions with what stands above them.
local function source(name)
  return vim.fn.readfile(vim.fs.joinpath(root, "lua", "codeagent", name .. ".lua"))
end

local function fields_of(module, class)
  local found, is_inside = {}, false
  for _, line in ipairs(source(module)) do
    is_inside = line:find("---@class " .. class .. "$") ~= nil
      or (is_inside and line:find("^%-%-%-@field") ~= nil)
    local name, rest = line:match("^%-%-%-@field (%S+) (.*)$")
    if is_inside and name then
      found[#found + 1] = { name = name:gsub("%?$", ""), rest = rest }
    end
  end
  return found
end

local function functions_of(module)
  local found, comment = {}, {}
  for _, line in ipairs(source(module)) do
    local text = line:match("^%-%-%-%s?(.*)$")
    local name, arguments = line:match("^function M%.([%w_]+)%((.-)%)")
    if name and #comment > 0 then
      found[#found + 1] = { name = name, arguments = arguments, comment = comment }
    end
    comment = text and vim.list_extend(comment, { text }) or {}
  end
  return found
end

--- A page written by hand, with `{{name}}` where a table stands.
local parts = {}

function parts.subcommands()
  for _, subcommand in ipairs(require("codeagent.command").subcommands) do
    tagged(":CodeAgent-" .. subcommand.name)
    add((":CodeAgent %s %s"):format(subcommand.name, subcommand.args):gsub("%s+$", "") .. " ~")
    wrap(subcommand.desc, "    ")
    if subcommand.bang then
      wrap(("With `!`: %s."):format(subcommand.bang), "    ")
    end
    add()
  end
end

function parts.options()
  local config = require("codeagent.config")
  for _, field in ipairs(fields_of("config", "codeagent.Config")) do
    local kind, text = field.rest:match("^(fun%b().-%w+) (.*)$")
    if not kind then
      kind, text = field.rest:match("^(%S+) (.*)$")
    end
    if field.name == "trust" then
      kind, text = field.rest:match("^(.-boolean) (Whether.*)$")
    elseif field.name == "variables" then
      kind, text = field.rest:match("^(table%b<>) (.*)$")
    end
    tagged("codeagent-option-" .. field.name)
    local default = config.defaults[field.name]
    add(
      ("%s  `%s`%s ~"):format(
        field.name,
        kind,
        default ~= nil and ("  default: `%s`"):format(vim.inspect(default)) or ""
      )
    )
    wrap(text, "    ")
    add()
  end
end

local function keys(rows)
  for _, row in ipairs(rows) do
    entry(row.keys, row.desc, 22)
  end
end

function parts.panel_keys()
  keys(require("codeagent.panel_keys").keys)
end

function parts.call_keys()
  keys(require("codeagent.call").keys)
end

function parts.result_keys()
  keys(require("codeagent.result").keys)
end

function parts.form_keys()
  keys(require("codeagent.form").keys)
end

function parts.approval_keys()
  for _, choice in ipairs(require("codeagent.approval").call_choices) do
    entry(choice.key, choice.label, 10)
  end
  entry("q <Esc>", "not now", 10)
end

function parts.highlights()
  for _, group in ipairs(require("codeagent.ui").highlights) do
    entry(group.name, ("%s (|hl-%s|)"):format(group.desc, group.link):gsub("|hl%-(%w+)|", "`%1`"), 28)
  end
end

function parts.events()
  for _, row in ipairs(require("codeagent.state").events) do
    tagged(row.event)
    entry(row.event, row.desc, 28)
  end
end

function parts.counts()
  for _, field in ipairs(fields_of("state", "codeagent.Counts")) do
    entry(
      field.name,
      field.rest:gsub("^integer%s*", "") ~= "" and field.rest:gsub("^integer%s*", "") or "how many",
      14
    )
  end
end

function parts.errors()
  for _, line in ipairs(source("protocol")) do
    local kind, text = line:match("^  (%w+) = %-32%d+, %-%- (.*)$")
    if kind then
      entry(kind, text, 20)
    end
  end
end

function parts.protocol()
  local last
  for _, line in ipairs(source("protocol")) do
    last = line:match("^  %-%-%- (.*)$") or last
    local name, takes, gives =
      line:match('^  (%w+) = "codeagent%.%w+", %-%- codeagent%.(%S+) %-> codeagent%.(%S+)$')
    if name then
      entry(name, ("%s (`%s` to `%s`)"):format(last, takes, gives), 22)
    end
  end
end

function parts.api()
  for _, item in ipairs(functions_of("init")) do
    tagged(("codeagent.%s()"):format(item.name))
    add(("codeagent.%s(%s) ~"):format(item.name, item.arguments))
    local said = {}
    for _, line in ipairs(item.comment) do
      if not line:find("^@") then
        said[#said + 1] = line
      end
    end
    wrap(table.concat(said, " "), "    ")
    for _, line in ipairs(item.comment) do
      local name, kind = line:match("^@param (%S+) (.+)$")
      if name and name ~= "callback" then
        wrap(("{%s} `%s`"):format(name:gsub("%?$", ""), kind), "        ", "      ")
      end
      local returned = line:match("^@return (.+)$")
      if returned then
        wrap(("returns `%s`"):format(returned), "        ", "      ")
      end
    end
    add()
  end
end

for _, line in ipairs(vim.fn.readfile(vim.fs.joinpath(here, "help.txt"))) do
  local title, tag = line:match("^# (.-)%s+%*(.-)%*$")
  local part = line:match("^{{(%w+_?%w*)}}$")
  if title then
    section(title, tag)
  elseif part then
    assert(parts[part], "no such part: " .. part)()
  else
    add(line)
  end
end

local text = table.concat(out, "\n") .. "\n"
local path = vim.fs.joinpath(root, "doc", "codeagent.txt")
if vim.tbl_contains(_G.arg, "--check") then
  local file = io.open(path)
  if not file or file:read("*a") ~= text then
    io.stderr:write("doc/codeagent.txt is stale: nvim --clean -l scripts/help.lua writes it\n")
    os.exit(1)
  end
else
  vim.fn.mkdir(vim.fs.dirname(path), "p")
  local file = assert(io.open(path, "w"))
  file:write(text)
  file:close()
end
