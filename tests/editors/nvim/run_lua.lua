-- Runs Debian's busted or luacheck by Neovim's own LuaJIT, so that specs have the real `vim` and nothing needs a Lua:
-- nvim --clean -l run_lua.lua {busted|luacheck} ARGUMENTS...
local here = vim.fs.dirname(vim.fs.abspath(debug.getinfo(1, "S").source:sub(2)))
local root = vim.fs.dirname(vim.fs.dirname(vim.fs.dirname(here)))
for _, prefix in ipairs({ vim.fs.joinpath(root, ".tools/nvim/debian/usr"), "/usr" }) do
  package.path = ("%s;%s/share/lua/5.1/?.lua;%s/share/lua/5.1/?/init.lua"):format(package.path, prefix, prefix)
  for _, folder in ipairs(vim.fn.glob(prefix .. "/lib/*/lua/5.1", true, true)) do
    package.cpath = ("%s;%s/?.so"):format(package.cpath, folder)
  end
end
vim.opt.runtimepath:prepend(vim.fs.joinpath(root, "nvim"))
local what = table.remove(_G.arg, 1)
if what == "busted" then
  require("busted.runner")({ standalone = false })
else
  require("luacheck.main")
end
