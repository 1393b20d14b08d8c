--- The tools in the shapes that other plugins want. Every call goes through the same gate as one by hand.
local M = {}

---@param options? { server?: string, wait?: integer }
---@return codeagent.Tool[]
local function tools(options)
  local list, failure = require("codeagent").tools(options)
  if failure or not list then
    require("codeagent.client").tell(failure or { kind = "protocol", message = "no answer" })
    return {}
  end
  return list.tools
end

--- As functions in the shape of chat APIs: `{ type = "function", ["function"] = { name, description, parameters } }`.
---@param options? { server?: string, wait?: integer }
---@return table[]
function M.functions(options)
  return vim.tbl_map(function(tool)
    return {
      type = "function",
      ["function"] = { name = tool.name, description = tool.description, parameters = tool.inputSchema },
    }
  end, tools(options))
end

---@param tool codeagent.Tool
---@return table
local function codecompanion_tool(tool)
  local parts = { name = tool.name, description = tool.description, parameters = tool.inputSchema }
  return {
    name = tool.name,
    cmds = {
      function(_, arguments, input, callback) -- older versions hand the callback over as the last argument
        local done = type(input) == "table" and input.output_cb or callback
        require("codeagent").call_tool(tool.name, arguments, nil, function(failure, result)
          local is_bad = failure ~= nil or result.isError
          done({ status = is_bad and "error" or "success", data = failure and failure.message or result.text })
        end)
      end,
    },
    schema = { type = "function", ["function"] = parts },
  }
end

--- For codecompanion.nvim: a table for `interactions.chat.tools` (older versions: `strategies.chat.tools`).
---@param options? { server?: string, wait?: integer }
---@return table<string, table>
function M.codecompanion(options)
  local found = {}
  for _, tool in ipairs(tools(options)) do
    found[tool.name] = {
      description = tool.description,
      callback = function()
        return codecompanion_tool(tool)
      end,
    }
  end
  return found
end

--- For avante.nvim: a function for `custom_tools`.
---@param options? { server?: string, wait?: integer }
---@return fun(): table[]
function M.avante(options)
  return function()
    return vim.tbl_map(function(tool)
      local schemas = require("codeagent.schema")
      local schema, fields = tool.inputSchema or {}, {}
      local names, required = schemas.names(schema)
      for _, name in ipairs(names) do
        local property = schemas.property(schema, name)
        fields[#fields + 1] = {
          name = name,
          type = type(property.type) == "string" and property.type or "string",
          description = property.description or name,
          optional = not required[name],
        }
      end
      return {
        name = tool.name,
        description = tool.description,
        param = { type = "table", fields = fields },
        returns = {
          { name = "result", type = "string", description = "what the tool answered" },
          { name = "error", type = "string", description = "why it failed", optional = true },
        },
        func = function(arguments, second, third) -- older versions hand the callback over as the third argument
          local done = type(second) == "table" and second.on_complete or third
          if not done then
            local result, failure = require("codeagent").call_tool(tool.name, arguments)
            return result and result.text, failure and failure.message
          end
          require("codeagent").call_tool(tool.name, arguments, nil, function(failure, result)
            local said = failure and failure.message or nil
            done(
              result and not result.isError and result.text or nil,
              said or (result.isError and result.text or nil)
            )
          end)
        end,
      }
    end, tools(options))
  end
end

return M
