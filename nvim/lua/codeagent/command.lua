--- `:CodeAgent`: one table of subcommands, which drives dispatch, completion and the help.
local M = {}

---@class codeagent.Subcommand
---@field name string
---@field args string as in the help
---@field desc string
---@field bang? string what `!` changes
---@field run fun(words: string[], context: { bang: boolean, rest: string })
---@field complete? fun(lead: string, words: string[]): string[]

---@param module string
---@param name string
---@return fun(words: string[], context: table)
local function action(module, name)
  return function(words, context)
    require("codeagent." .. module)[name](words, context)
  end
end

---@param source string
---@return fun(lead: string): string[]
local function names(source)
  return function(lead)
    return require("codeagent.names").of(source, lead)
  end
end

---@type codeagent.Subcommand[]
M.subcommands = {
  {
    name = "panel",
    args = "",
    desc = "Opens the panel; so does `:CodeAgent` alone.",
    bang = "a split instead of a float (or the other way, by the option `panel`)",
    run = action("actions", "panel"),
  },
  { name = "status", args = "", desc = "Says how every server is.", run = action("actions", "status") },
  {
    name = "tools",
    args = "[server]",
    desc = "Chooses a tool, and opens a buffer of its arguments.",
    bang = "those that are switched off as well",
    run = action("actions", "tools"),
    complete = names("server"),
  },
  {
    name = "call",
    args = "[tool] [json]",
    desc = "Calls a tool: with arguments at once, without them from a buffer.",
    bang = "at once with the arguments that the schema suggests",
    run = action("actions", "call"),
    complete = names("tool"),
  },
  {
    name = "read",
    args = "[mention]",
    desc = "Opens a resource, by its mention `@server:uri`.",
    bang = "saves it to a file",
    run = action("actions", "read"),
    complete = names("mention"),
  },
  {
    name = "resources",
    args = "[server]",
    desc = "Chooses a resource, and opens it.",
    bang = "saves it to a file",
    run = action("actions", "resources"),
    complete = names("server"),
  },
  {
    name = "prompt",
    args = "[server/name]",
    desc = "Fills a prompt in, and shows it.",
    bang = "puts it at the cursor instead",
    run = action("actions", "prompt"),
    complete = names("prompt"),
  },
  {
    name = "log",
    args = "[server]",
    desc = "Follows the log of a server.",
    bang = "of all servers",
    run = action("actions", "log"),
    complete = names("server"),
  },
  {
    name = "start",
    args = "[server]",
    desc = "Starts a server.",
    bang = "every server",
    run = action("actions", "start"),
    complete = names("server"),
  },
  {
    name = "stop",
    args = "[server]",
    desc = "Stops a server until it is started by hand.",
    bang = "every server",
    run = action("actions", "stop"),
    complete = names("server"),
  },
  {
    name = "restart",
    args = "[server]",
    desc = "Stops and starts a server.",
    bang = "every server",
    run = action("actions", "restart"),
    complete = names("server"),
  },
  {
    name = "enable",
    args = "[server] [tool]",
    desc = "Switches a server or a tool on, for this workspace.",
    run = action("actions", "enable"),
    complete = names("server"),
  },
  {
    name = "disable",
    args = "[server] [tool]",
    desc = "Switches a server or a tool off, for this workspace; config files stay as they are.",
    run = action("actions", "disable"),
    complete = names("server"),
  },
  {
    name = "approve",
    args = "[server]",
    desc = "Goes to the question that is open; else asks whether a project's server may start.",
    run = action("approvals", "approve"),
    complete = names("waiting"),
  },
  {
    name = "approvals",
    args = "",
    desc = "Lists your standing decisions, and takes one back.",
    bang = "takes all of them back",
    run = action("approvals", "list"),
  },
  {
    name = "signin",
    args = "[server]",
    desc = "Signs in to a server.",
    bang = "signs out",
    run = action("actions", "signin"),
    complete = names("server"),
  },
  {
    name = "config",
    args = "[user|project|server]",
    desc = "Opens a config file, at a server's entry where one is named.",
    bang = "shows the entry that is in force instead",
    run = action("actions", "config"),
    complete = names("config"),
  },
  {
    name = "import",
    args = "[file]",
    desc = "Takes servers over from another tool's file: changes the buffer of our config file, and writes nothing.",
    run = action("actions", "import"),
    complete = function(lead)
      return vim.fn.getcompletion(lead, "file")
    end,
  },
  {
    name = "reload",
    args = "",
    desc = "Reads every config file again; unchanged servers keep running.",
    bang = "restarts the language server itself",
    run = action("actions", "reload"),
  },
  {
    name = "install",
    args = "",
    desc = "Installs the language server into `stdpath('data')`.",
    bang = "anew",
    run = action("actions", "install"),
  },
}

---@param name string
---@return codeagent.Subcommand?
local function find(name)
  for _, subcommand in ipairs(M.subcommands) do
    if subcommand.name == name then
      return subcommand
    end
  end
  return nil
end

--- Runs the command.
---@param args { args: string, fargs: string[], bang: boolean }
function M.run(args)
  local name = args.fargs[1] or "panel"
  local subcommand = find(name)
  if not subcommand then
    local known = table.concat(
      vim.tbl_map(function(item)
        return item.name
      end, M.subcommands),
      ", "
    )
    return vim.notify(
      ("codeagent: there is no `:CodeAgent %s`. There are: %s."):format(name, known),
      vim.log.levels.ERROR
    )
  end
  local rest = vim.trim(args.args:gsub("^%s*%S+%s*", "", 1))
  subcommand.run(vim.list_slice(args.fargs, 2), { bang = args.bang, rest = rest })
end

--- Completes the command line.
---@param lead string
---@param line string
---@param position integer
---@return string[]
function M.complete(lead, line, position)
  local before = line:sub(1, position):gsub("^.-CodeAgent!?%s+", "", 1)
  local words = vim.split(before, "%s+")
  if #words <= 1 then
    local found = {}
    for _, subcommand in ipairs(M.subcommands) do
      if vim.startswith(subcommand.name, lead) then
        found[#found + 1] = subcommand.name
      end
    end
    return found
  end
  local subcommand = find(words[1])
  if not subcommand or not subcommand.complete then
    return {}
  elseif (words[1] == "enable" or words[1] == "disable") and #words > 2 then
    return require("codeagent.names").of("tools of " .. words[2], lead)
  end
  return #words == 2 and subcommand.complete(lead, words) or {}
end

return M
