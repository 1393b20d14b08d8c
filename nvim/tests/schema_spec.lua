local schema = require("codeagent.schema")

local function decode(text)
  return vim.json.decode(text)
end

describe("schema", function()
  it("begins with what is required, in its order, and what has a default", function()
    local tool = decode(
      [[{"type":"object","required":["z","a"],"properties":{
      "a":{"type":"integer","minimum":1},"b":{"type":"string"},"c":{"default":false},"z":{"enum":["x","y"]}}}]]
    )
    assert.are.same({ "z", "a", "b", "c" }, (schema.names(tool)))
    assert.are.same({ a = 1, c = false, z = "x" }, schema.arguments(tool))
  end)

  it("has an example for every kind", function()
    local cases = {
      { '{"type":"string"}', '""' },
      { '{"type":"boolean"}', "false" },
      { '{"type":"array","items":{}}', "[]" },
      { '{"type":"object"}', "{}" },
      { '{"type":["null","number"]}', "0" },
      { '{"const":7}', "7" },
      { '{"anyOf":[{"type":"string","default":"d"}]}', '"d"' },
      { '{"oneOf":[{"enum":[3]}]}', "3" },
      { "true", "null" },
      { "{}", "null" },
      { '{"type":"object","required":["x"],"properties":{"x":{"type":"string"}}}', '{"x":""}' },
    }
    for _, case in ipairs(cases) do
      assert.are.equal(case[2], vim.json.encode(schema.example(decode(case[1]))), case[1])
    end
  end)

  it("takes any schema, however odd", function()
    local odd = {
      "null",
      "3",
      "[]",
      '{"properties":3}',
      '{"properties":{"a":true},"required":["b",1]}',
      '{"required":{}}',
    }
    for _, text in ipairs(odd) do
      assert.has_no.errors(function()
        schema.arguments(decode(text))
        schema.fields(decode(text))
      end)
    end
    local deep = { type = "object", required = { "x" }, properties = {} }
    deep.properties.x = deep
    assert.has_no.errors(function()
      schema.arguments(deep)
    end)
  end)

  it("makes fields of an elicitation's form", function()
    local fields = schema.fields(decode([[{"required":["name"],"properties":{
      "name":{"type":"string","title":"Your name"},
      "age":{"type":"integer","minimum":0},
      "ok":{"type":"boolean","default":true},
      "colour":{"oneOf":[{"const":"r","title":"Red"},{"const":"g"}]},
      "size":{"type":"string","enum":["s","l"],"enumNames":["small","large"]},
      "tags":{"type":"array","items":{"enum":["a","b"]},"minItems":1}}}]]))
    local kinds, labels = {}, {}
    for _, field in ipairs(fields) do
      kinds[field.name], labels[field.name] = field.kind, field.labels
    end
    assert.are.same({
      name = "string",
      age = "integer",
      ok = "boolean",
      colour = "choice",
      size = "choice",
      tags = "choices",
    }, kinds)
    assert.are.same({ "Red (r)", "g" }, labels.colour)
    assert.are.same({ "small", "large" }, labels.size)
    assert.are.equal("Your name", fields[1].title)
    assert.is_true(fields[1].required)
    assert.are.equal("needed", schema.missing(fields[1]))
  end)

  it("checks what is typed", function()
    local function problem(text, typed)
      local fields = schema.fields(decode(('{"properties":{"x":%s}}'):format(text)))
      local _, said = schema.read(fields[1], typed)
      return said
    end
    assert.are.equal("a number", problem('{"type":"number"}', "x1"))
    assert.are.equal("a number", problem('{"type":"number"}', "0x10"))
    assert.are.equal("a number", problem('{"type":"number"}', "inf"))
    assert.are.equal("a whole number", problem('{"type":"integer"}', "1.5"))
    assert.are.equal("at least 3", problem('{"type":"integer","minimum":3}', "2"))
    assert.are.equal("at most 3", problem('{"type":"integer","maximum":3}', "4"))
    assert.are.equal("at least 2 characters", problem('{"type":"string","minLength":2}', "é"))
    assert.are.equal("an e-mail address", problem('{"type":"string","format":"email"}', "nobody"))
    assert.are.equal("a date, as in 2026-11-29", problem('{"type":"string","format":"date"}', "today"))
    assert.is_nil(problem('{"type":"string","format":"email"}', "a@b.c"))
    assert.is_nil(problem('{"type":"integer"}', "-7"))
  end)

  it("knows a form that asks for a secret", function()
    for _, name in ipairs({
      "password",
      "userPassword",
      "api_key",
      "apiKey",
      "API key",
      "access-token",
      "secret",
      "private_key",
    }) do
      local form = { properties = { [name] = { type = "string" } } }
      assert.is_true(schema.asks_for_secret(form), name)
    end
    assert.is_true(
      schema.asks_for_secret({ properties = { x = { type = "string", title = "Your password" } } })
    )
    assert.is_true(schema.asks_for_secret({ properties = { x = { type = "string", format = "password" } } }))
    for _, name in ipairs({ "name", "keyboard", "secretary", "passenger", "monkey" }) do
      assert.is_false(schema.asks_for_secret({ properties = { [name] = { type = "string" } } }), name)
    end
  end)
end)
