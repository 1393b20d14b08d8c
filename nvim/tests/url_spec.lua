local openable = require("codeagent.url").openable

describe("url", function()
  it("opens only https, and http of this machine", function()
    for _, url in ipairs({
      "https://example.com/a?b=c#d",
      "https://example.com:8443/x",
      "http://localhost:3000/in",
      "http://127.0.0.1:1/in",
      "http://[::1]:1/in",
      "HTTPS://Example.COM/x",
    }) do
      assert.is_not_nil(openable(url), url)
    end
    for _, url in ipairs({
      "http://example.com/",
      "javascript:alert(1)",
      "file:///etc/passwd",
      "vbscript:x",
      "data:text/html,x",
      "-flag",
      "--help",
      "https://a@b/",
      "https://user:pass@b/",
      "https://",
      "https:///x",
      "https://a b/",
      "https://a/\nb",
      "https://a/\27[2J",
      "https://ex\226\128\174ample.com/",
      "https://exämple.com/",
      "https://a\\b/",
      "https://a%2eb/",
      "https://-a/",
      "https://a:x/",
      "command:x",
      "",
      42,
      vim.NIL,
    }) do
      assert.is_nil(openable(url), tostring(url))
    end
  end)

  it("encodes what a shell could read", function()
    local cases = {
      { "https://a/&calc", "https://a/&calc" },
      { "https://a/'`|^<>\"\\", "https://a/%27%60%7C%5E%3C%3E%22%5C" },
      { "https://a/$(x)", "https://a/$(x)" },
      { "https://a/100%", "https://a/100%25" },
      { "https://a/%zz%41", "https://a/%25zz%41" },
      { "https://a/é", "https://a/%C3%A9" },
    }
    for _, case in ipairs(cases) do
      assert.are.equal(case[2], openable(case[1]).href)
    end
  end)

  it("warns of letters that look like others", function()
    assert.is_true(openable("https://xn--pple-43d.com/").punycode)
    assert.is_true(openable("https://login.xn--pple-43d.com/").punycode)
    assert.is_false(openable("https://apple.com/").punycode)
  end)
end)
