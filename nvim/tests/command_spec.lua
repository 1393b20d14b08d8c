local command = require("codeagent.command")
local config = require("codeagent.config")

describe(":CodeAgent", function()
  it("completes its subcommands", function()
    assert.are.same(
      { "start", "status", "stop" },
      (function()
        local found = command.complete("st", "CodeAgent st", 12)
        table.sort(found)
        return found
      end)()
    )
    assert.are.equal(#command.subcommands, #command.complete("", "CodeAgent ", 10))
    assert.are.same({ "install" }, command.complete("inst", "CodeAgent! inst", 15))
    assert.are.same({}, command.complete("", "CodeAgent nothing ", 18))
    assert.are.same({}, command.complete("", "CodeAgent status ", 17))
  end)

  it("has an action for each", function()
    for _, subcommand in ipairs(command.subcommands) do
      assert.are.equal("function", type(subcommand.run), subcommand.name)
      assert.is_truthy(subcommand.desc:find("%.$"), subcommand.name)
    end
  end)

  it("names what there is where a subcommand is wrong", function()
    local said
    local notify = vim.notify
    vim.notify = function(message)
      said = message
    end
    command.run({ args = "nonsense", fargs = { "nonsense" }, bang = false })
    vim.notify = notify
    assert.is_truthy(said:find("nonsense", 1, true))
    assert.is_truthy(said:find("status", 1, true))
  end)
end)

describe("options", function()
  it("say what is wrong with them", function()
    assert.are.same({}, config.problems({ panel = "split", icons = false, cmd = { "x" } }))
    assert.are.same({ "there is no option `colour`" }, config.problems({ colour = 1 }))
    assert.are.equal(1, #config.problems({ panel = "sideways" }))
    assert.are.equal(1, #config.problems({ timeout = "soon" }))
    assert.are.equal(1, #config.problems(3))
  end)

  it("have a type and an annotation each", function()
    local source =
      table.concat(vim.fn.readfile(vim.api.nvim_get_runtime_file("lua/codeagent/config.lua", false)[1]), "\n")
    for name in pairs(config.types) do
      assert.is_truthy(source:find("---@field " .. name .. "%??"), name)
    end
    for name in pairs(config.defaults) do
      assert.is_not_nil(config.types[name], name)
    end
  end)
end)
