local json = require("codeagent.json")

describe("json", function()
  it("writes values with their keys in order, those that were named first", function()
    local value = vim.json.decode('{"b":[],"c":{},"a":[1,{"x":null}],"z":"q\\n"}')
    assert.are.equal(
      '{\n  "z": "q\\n",\n  "a": [\n    1,\n    {\n      "x": null\n    }\n  ],\n  "b": [],\n  "c": {}\n}',
      json.pretty(value, { "z", "nothing" })
    )
    assert.are.equal("{}", json.pretty(vim.empty_dict()))
    assert.are.equal("[]", json.pretty({}))
    assert.are.equal("true", json.pretty(true))
  end)

  it("lays a text out without touching numbers or order", function()
    local laid = json.layout('{"z":12345678901234567890,"a":[1.50,{}],"s":"{\\"[,:"}')
    assert.are.equal(
      '{\n  "z": 12345678901234567890,\n  "a": [\n    1.50,\n    {}\n  ],\n  "s": "{\\"[,:"\n}',
      laid
    )
  end)

  it("lays nothing out that is no object or list", function()
    for _, other in ipairs({ "", "hello", "42", '"x"', "{", "[1,", "{a:1}" }) do
      assert.is_nil(json.layout(other))
    end
  end)

  it("folds an item with its brackets", function()
    local lines = vim.split(json.layout('{"a":[1],"b":{"c":2}}'), "\n")
    assert.are.same({ ">1", ">2", "2", "<2", ">2", "2", "<2", "<1" }, json.folds(lines))
  end)

  it("reads arguments, with nulls and empty objects as they are", function()
    local value = json.arguments('{"a": null, "b": {}, "c": []}')
    assert.are.equal(vim.NIL, value.a)
    assert.are.equal('{"b":{}}', vim.json.encode({ b = value.b }))
    assert.are.equal('{"c":[]}', vim.json.encode({ c = value.c }))
    assert.are.equal("{}", vim.json.encode(json.arguments("  ")))
  end)

  it("refuses what are no arguments, with a sentence", function()
    for _, typed in ipairs({ "[1]", "[]", "3", '"x"', "null", "{", "{,}", '{"a" 1}' }) do
      local value, problem = json.arguments(typed)
      assert.is_nil(value)
      assert.is_truthy(problem:find("^The arguments "))
    end
  end)

  it("reads calls", function()
    local call = json.call('{"tool": "mcp__s__t", "arguments": {"a": 1}}')
    assert.are.same({ tool = "mcp__s__t", arguments = { a = 1 } }, call)
    assert.are.equal("{}", vim.json.encode(json.call('{"tool": "t"}').arguments))
    assert.are.equal("{}", vim.json.encode(json.call('{"tool": "t", "arguments": null}').arguments))
    for _, typed in ipairs({
      "",
      "[]",
      "{}",
      '{"tool": 3}',
      '{"tool": "t", "arguments": [1]}',
      '{"tool": "t"',
    }) do
      local value, problem = json.call(typed)
      assert.is_nil(value)
      assert.is_truthy(problem:find("^The "))
    end
  end)

  it("sends no number as another one", function()
    for _, typed in ipairs({ "9007199254740993", "12345678901234567890", "-9007199254740993" }) do
      local value, problem = json.arguments(('{"id": %s}'):format(typed))
      assert.is_nil(value)
      assert.is_truthy(problem:find(typed, 1, true))
    end
    assert.are.equal(1700000000000000, json.arguments('{"id": 1700000000000000}').id)
    assert.are.equal("12345678901234567890", json.arguments('{"id": "12345678901234567890"}').id)
  end)
end)
