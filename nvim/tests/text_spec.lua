local text = require("codeagent.text")

describe("text", function()
  it("writes out what is hidden", function()
    local cases = {
      { "a\27[2Jb", "a\\u{1B}[2Jb" },
      { "a\226\128\174b", "a\\u{202E}b" },
      { "a\226\129\166b", "a\\u{2066}b" },
      { "a\226\128\139b", "a\\u{200B}b" },
      { "a\243\160\129\129b", "a\\u{E0041}b" },
      { "a\194\155b", "a\\u{9B}b" },
      { "a\194\160b", "a\\u{A0}b" },
      { "a\226\128\168b", "a\\u{2028}b" },
      { "a\0b\127", "a\\u{0}b\\u{7F}" },
      { "a\255b", "a\\u{DCFF}b" },
      { "\239\187\191x", "\\u{FEFF}x" },
      { "\238\128\128", "\\u{E000}" },
    }
    for _, case in ipairs(cases) do
      assert.are.equal(case[2], text.visible(case[1]))
    end
  end)

  it("keeps what people write", function()
    for _, kept in ipairs({
      "plain\ttext\nlines",
      "é ü ß",
      "日本語",
      "👨‍👩‍👧",
      "❤️",
      "1️⃣",
      "🏳️‍🌈",
      "→ …",
      "Ω",
    }) do
      assert.are.equal(kept, text.visible(kept))
    end
  end)

  it("shows a joiner that joins nothing", function()
    assert.are.equal("a\\u{200D}b", text.visible("a\226\128\141b"))
    assert.are.equal("a\\u{FE0F}", text.visible("a\239\184\143"))
  end)

  it("lets marks cover no other line", function()
    assert.are.equal("a" .. ("\204\129"):rep(4) .. "…", text.visible("a" .. ("\204\129"):rep(50)))
  end)

  it("cuts between characters, and says how much is missing", function()
    assert.are.equal("aé… [2 more characters]", text.visible("aéé", 4))
    assert.are.equal("xxx… [1,997 more characters]", text.visible(("x"):rep(2000), 3))
  end)

  it("folds white space of labels", function()
    assert.are.equal("a b c", text.one_line("  a\n\n b\t c "))
    assert.are.equal("100%% safe", text.bar("100% safe"))
  end)

  it("puts every line of others behind a margin", function()
    local lines = text.quoted("one two three four\n\nApproved: yes", 12, "| ")
    for _, line in ipairs(lines) do
      assert.are.equal("| ", line:sub(1, 2))
      assert.is_true(vim.fn.strdisplaywidth(line) <= 12)
    end
    local joined = table.concat(lines):gsub("| ", ""):gsub("↪ ", "")
    assert.are.equal("one two three fourApproved: yes", joined)
  end)

  it("quotes wide letters and long words without an end", function()
    for _, line in ipairs(text.quoted(("日"):rep(100) .. ("x"):rep(100), 20, "| ")) do
      assert.is_true(vim.fn.strdisplaywidth(line) <= 20)
    end
  end)

  it("counts as people do", function()
    assert.are.equal("1 tool", text.counted(1, "tool"))
    assert.are.equal("5,000 tools", text.counted(5000, "tool"))
    assert.are.equal("1,234,567", text.number(1234567))
    assert.are.equal("1023 B", text.bytes(1023))
    assert.are.equal("1.0 KB", text.bytes(1024))
    assert.are.equal("12 MB", text.bytes(12 * 1024 * 1024))
  end)
end)
