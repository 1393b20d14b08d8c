--- Addresses that servers name: which may be opened at all, and as what exactly.
local M = {}

---@class codeagent.Target
---@field href string the address as it would be opened
---@field host string
---@field punycode boolean whether the host has letters that can look like others

---@param host string
---@return boolean
local function is_loopback(host)
  return host == "localhost" or host == "[::1]" or host:find("^127%.%d+%.%d+%.%d+$") ~= nil
end

---@param char string
---@return string
local function encoded(char)
  return ("%%%02X"):format(char:byte())
end

--- The address as it may be opened; nil where it must not be: anything but https (http for this machine), a user or
--- password in it, white space, controls, letters outside of ASCII in the host.
---@param url any
---@return codeagent.Target?
function M.openable(url)
  if type(url) ~= "string" or url:find("[%c%s]") or #url > 8192 then
    return nil
  end
  local scheme, authority, rest = url:match("^(%a[%w+.-]*)://([^/?#]*)(.*)$")
  if not scheme or authority:find("[^%w.:%[%]-]") then
    return nil -- a user, a percent sign, a backslash, or a letter that is no host's
  end
  local host, port = authority:match("^(%[[%x:.]+%])(.*)$")
  if not host then
    host, port = authority:match("^([%w.-]+)(.*)$")
  end
  scheme, host = scheme:lower(), (host or ""):lower()
  local is_allowed = scheme == "https" or (scheme == "http" and is_loopback(host))
  if not is_allowed or host == "" or host:find("^[-.]") or not (port == "" or port:find("^:%d+$")) then
    return nil
  end
  rest = rest
    :gsub("[^%w%-._~:/?#%[%]@!$&()*+,;=%%]", encoded)
    :gsub("%%(%X)", "%%25%1")
    :gsub("%%(%x)(%X)", "%%25%1%2")
  rest = rest:gsub("%%$", "%%25"):gsub("%%(%x)$", "%%25%1")
  local target = { href = ("%s://%s%s%s"):format(scheme, host, port, rest), host = host .. port }
  target.punycode = host:find("^xn%-%-") ~= nil or host:find("%.xn%-%-") ~= nil
  return target
end

return M
