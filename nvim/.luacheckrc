std = "luajit"
read_globals = { "vim" }
globals = { "vim.g", "vim.b", "vim.w", "vim.o", "vim.bo", "vim.wo", "vim.opt", "vim.opt_local", "vim.env", "vim.ui", "vim.notify" }
max_line_length = 120
max_comment_line_length = false -- an annotation is one line, and its text is the help
exclude_files = { "lua/codeagent/protocol.lua" }
ignore = { "212/_.*" }
