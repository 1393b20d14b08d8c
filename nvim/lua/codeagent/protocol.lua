-- Generated from server/codeagent_lsp/protocol by `make mirror`: do not edit.

---@alias codeagent.JsonObject table<string, any>

---@alias codeagent.State
---| "disabled"
---| "untrusted"
---| "starting"
---| "ready"
---| "needsAuth"
---| "failed"
---| "stopped"

---@alias codeagent.Scope
---| "user"
---| "project"

---@alias codeagent.Transport
---| "stdio"
---| "http"
---| "sse"

---@alias codeagent.Trust
---| "session"
---| "always"
---| "denied"
---| "needed"

---@alias codeagent.Capability
---| "read"
---| "network"
---| "write"
---| "destructive"
---| "unknown"

---@alias codeagent.ToolKind
---| "tool"
---| "listResources"
---| "readResource"
---| "listPrompts"
---| "getPrompt"

---@alias codeagent.ToolApproval
---| "auto"
---| "ask"
---| "granted"
---| "denied"

---@alias codeagent.Severity
---| "error"
---| "warning"
---| "information"
---| "hint"

---@alias codeagent.LogSource
---| "stderr"
---| "server"
---| "host"

---@alias codeagent.LogLevel
---| "debug"
---| "info"
---| "notice"
---| "warning"
---| "error"
---| "critical"
---| "alert"
---| "emergency"

--- A place in a text document: zero-based line, and character in the negotiated position encoding.
---@class codeagent.Position
---@field line integer
---@field character integer

--- A stretch of a text document; `end` is exclusive.
---@class codeagent.Range
---@field start codeagent.Position
---@field end codeagent.Position

--- Why a server is not usable: a kind from the error table, a message, and what is known of the process.
---@class codeagent.ServerError
---@field kind string
---@field message string
---@field hint? string
---@field exitCode? integer
---@field stderrTail? string[]

--- Which of a server's lists could not be read, and why.
---@class codeagent.ListErrors
---@field tools? string
---@field resources? string
---@field prompts? string

--- One MCP server as an editor shows it. `server` is its id: the name in the config file.
---@class codeagent.ServerStatus
---@field server string
---@field name string
---@field scope codeagent.Scope
---@field configUri string
---@field transport codeagent.Transport
---@field state codeagent.State
---@field folder? string
---@field detail? string
---@field error? codeagent.ServerError
---@field protocolVersion? string
---@field serverInfo? codeagent.JsonObject
---@field instructions? string
---@field capabilities string[]
---@field tools integer
---@field disabledTools integer
---@field resources integer
---@field resourceTemplates integer
---@field prompts integer
---@field listErrors? codeagent.ListErrors
---@field pid? integer
---@field startedAt? string
---@field restarts integer
---@field nextRetryAt? string
---@field fingerprint? string
---@field trust? codeagent.Trust

--- One thing that is wrong in a config file, with its place.
---@class codeagent.ConfigProblem
---@field range codeagent.Range
---@field severity codeagent.Severity
---@field message string

--- One of the config files that are read, whether it exists or not.
---@class codeagent.ConfigFile
---@field uri string
---@field scope codeagent.Scope
---@field exists boolean
---@field problems codeagent.ConfigProblem[]

--- A tool as an agent or editor sees it: a safe name, a sanitised schema, and what calling it means.
---@class codeagent.Tool
---@field name string
---@field server string
---@field tool string
---@field kind codeagent.ToolKind
---@field description string
---@field inputSchema codeagent.JsonObject
---@field capability codeagent.Capability
---@field approval codeagent.ToolApproval
---@field enabled boolean
---@field title? string
---@field outputSchema? codeagent.JsonObject
---@field annotations? codeagent.JsonObject

--- What a tool answered. `isError` is the tool's own word, and no failure of the call.
---@class codeagent.CallResult
---@field server string
---@field tool string
---@field isError boolean
---@field text string
---@field content codeagent.JsonObject[]
---@field durationMs integer
---@field structuredContent? any
---@field warnings? string[]

--- A resource of a server. `uri` is the server's own string, byte for byte.
---@class codeagent.Resource
---@field server string
---@field uri string
---@field name string
---@field documentUri string
---@field mention string
---@field title? string
---@field description? string
---@field mimeType? string
---@field size? integer
---@field annotations? codeagent.JsonObject

--- A template of resource URIs (RFC 6570).
---@class codeagent.ResourceTemplate
---@field server string
---@field uriTemplate string
---@field name string
---@field title? string
---@field description? string
---@field mimeType? string
---@field annotations? codeagent.JsonObject

--- One part of a resource that was read: text, or a blob in base64. `size` counts bytes.
---@class codeagent.ResourceContents
---@field uri string
---@field mimeType string
---@field size integer
---@field text? string
---@field blob? string

--- One argument that a prompt takes.
---@class codeagent.PromptArgument
---@field name string
---@field required boolean
---@field description? string

--- A prompt of a server.
---@class codeagent.Prompt
---@field server string
---@field name string
---@field arguments codeagent.PromptArgument[]
---@field title? string
---@field description? string

--- One message of a prompt.
---@class codeagent.PromptMessage
---@field role string
---@field content codeagent.JsonObject

--- One line of a log. `time` is RFC 3339 in UTC; `server` is missing on lines of the host itself.
---@class codeagent.LogLine
---@field time string
---@field source codeagent.LogSource
---@field level string
---@field text string
---@field server? string

--- A standing decision of the user: a server's launch, or calls of one tool.
---@class codeagent.Approval
---@field id string
---@field kind "server"|"tool"
---@field server string
---@field scope string
---@field since string
---@field tool? string

--- One `@server:uri` in a text, with what it stands for.
---@class codeagent.Mention
---@field range codeagent.Range
---@field server string
---@field uri string
---@field contents? codeagent.ResourceContents[]
---@field error? string

--- A command that takes nothing.
---@class codeagent.NoParams

--- A command about one server.
---@class codeagent.ServerParams
---@field server string

--- Switch a server, or one of its tools, on or off for this workspace.
---@class codeagent.SetEnabledParams
---@field server string
---@field enabled boolean
---@field tool? string

--- Read the log of one server, or of all; `lines` at most, and later ones too with `follow`.
---@class codeagent.LogsParams
---@field server? string
---@field lines? integer # 200 unless given
---@field follow? boolean # false unless given

--- Ask a server for log messages from this level on.
---@class codeagent.SetLogLevelParams
---@field server string
---@field level codeagent.LogLevel

--- List tools, of one server or of all. `waitMs`: how long to wait for servers that are still starting.
---@class codeagent.ListToolsParams
---@field server? string
---@field waitMs? integer # 8000 unless given
---@field includeDisabled? boolean # false unless given

--- Call a tool, by its full name or by server and tool. `arguments` reach the server untouched.
---@class codeagent.CallToolParams
---@field name? string
---@field server? string
---@field tool? string
---@field arguments? any
---@field timeoutMs? integer

--- Ask for the tools again if anything has changed since `revision`.
---@class codeagent.RefreshToolsParams
---@field revision integer

--- List resources or prompts, of one server or of all.
---@class codeagent.ListParams
---@field server? string
---@field waitMs? integer # 8000 unless given

--- Read a resource, by server and URI or by a mention `@server:uri`.
---@class codeagent.ReadResourceParams
---@field server? string
---@field uri? string
---@field mention? string

--- A command about one resource.
---@class codeagent.ResourceParams
---@field server string
---@field uri string

--- Run a call that stands in an open document; `index` counts the calls of the document from 0.
---@class codeagent.RunCallParams
---@field uri string
---@field index? integer # 0 unless given

--- Get a prompt, filled with arguments.
---@class codeagent.GetPromptParams
---@field server string
---@field name string
---@field arguments? codeagent.JsonObject

--- What an argument belongs to: a prompt by name, or a resource template by its URI template.
---@class codeagent.CompletionRef
---@field prompt? string
---@field template? string

--- An argument and what the user has typed of it.
---@class codeagent.ArgumentValue
---@field name string
---@field value string

--- Ask a server for values of an argument.
---@class codeagent.CompleteArgumentParams
---@field server string
---@field ref codeagent.CompletionRef
---@field argument codeagent.ArgumentValue
---@field context? codeagent.JsonObject

--- A document that is open in the editor.
---@class codeagent.TextDocumentId
---@field uri string
---@field version? integer

--- Find the mentions in a text, or in a stretch of an open document, and read what they stand for.
---@class codeagent.ResolveMentionsParams
---@field text? string
---@field textDocument? codeagent.TextDocumentId
---@field range? codeagent.Range

--- Decide about one launch of a server, named by its fingerprint.
---@class codeagent.SetTrustParams
---@field server string
---@field fingerprint string
---@field decision "session"|"always"|"deny"|"reset"

--- Take one standing decision back.
---@class codeagent.RevokeApprovalParams
---@field id string

--- Preview what importing servers from another tool's file would write.
---@class codeagent.ImportConfigParams
---@field uri string
---@field servers? string[]

--- Nothing to say: it is done.
---@class codeagent.Done

--- Every server, and every config file.
---@class codeagent.Status
---@field revision integer
---@field servers codeagent.ServerStatus[]
---@field files codeagent.ConfigFile[]

--- Log lines, oldest first.
---@class codeagent.Logs
---@field lines codeagent.LogLine[]

--- Tools; `pending` names the servers that had not come up in time.
---@class codeagent.ToolList
---@field revision integer
---@field complete boolean
---@field pending string[]
---@field tools codeagent.Tool[]

--- The tools again, if they have changed; else only that they have not.
---@class codeagent.RefreshedTools
---@field changed boolean
---@field revision integer
---@field tools? codeagent.Tool[]
---@field instructions? string

--- Resources and templates; `pending` names the servers that had not come up in time.
---@class codeagent.ResourceList
---@field revision integer
---@field complete boolean
---@field pending string[]
---@field resources codeagent.Resource[]
---@field templates codeagent.ResourceTemplate[]

--- A resource that was read; `documentUri` opens it in the editor.
---@class codeagent.ReadResource
---@field server string
---@field uri string
---@field documentUri string
---@field contents codeagent.ResourceContents[]

--- Prompts; `pending` names the servers that had not come up in time.
---@class codeagent.PromptList
---@field revision integer
---@field complete boolean
---@field pending string[]
---@field prompts codeagent.Prompt[]

--- A prompt, filled in: its messages, and all of them as one text.
---@class codeagent.FilledPrompt
---@field messages codeagent.PromptMessage[]
---@field text string
---@field description? string

--- Values for an argument.
---@class codeagent.Completion
---@field values string[]
---@field hasMore boolean
---@field total? integer

--- What the servers say about their own use: one text, and each server's part.
---@class codeagent.Instructions
---@field text string
---@field servers table<string, string>

--- The block that an agent puts into the uncached part of its system prompt.
---@class codeagent.PromptSection
---@field revision integer
---@field text string

--- The mentions of a text.
---@class codeagent.Mentions
---@field mentions codeagent.Mention[]

--- Whether the editor showed a resource's document.
---@class codeagent.ShownResource
---@field shown boolean

--- The result of a call that stood in a document: the document that shows it, and its text.
---@class codeagent.RanCall
---@field documentUri string
---@field isError boolean
---@field text string

--- Every standing decision.
---@class codeagent.Approvals
---@field approvals codeagent.Approval[]

--- What an import would write, as an LSP WorkspaceEdit, and what it could not carry.
---@class codeagent.ImportPreview
---@field edit codeagent.JsonObject
---@field notes string[]

--- Servers whose status is no longer what it was.
---@class codeagent.StatusChanged
---@field revision integer
---@field servers codeagent.ServerStatus[]

--- A server's tools are others now; names are full tool names (`mcp__server__tool`).
---@class codeagent.ToolsChanged
---@field revision integer
---@field server string
---@field added string[]
---@field removed string[]
---@field changed string[]

--- A server's resources or templates are others now.
---@class codeagent.ResourcesChanged
---@field revision integer
---@field server string

--- A server's prompts are others now.
---@class codeagent.PromptsChanged
---@field revision integer
---@field server string

--- A subscribed resource has new content.
---@class codeagent.ResourceUpdated
---@field server string
---@field uri string
---@field documentUri string

--- From the editor: whether the user trusts the workspace, as a whole or by folder URI.
---@class codeagent.WorkspaceTrustChanged
---@field workspaceTrust boolean|table<string, boolean>

--- A name and its value as it is shown: hidden characters visible, secrets redacted.
---@class codeagent.NamedValue
---@field name string
---@field value string

--- What differs from what the user had approved.
---@class codeagent.FieldChange
---@field field string
---@field before string
---@field after string

--- May this server start? Every text is plain, whole, and has its hidden characters visible.
---@class codeagent.ApproveServerParams
---@field server string
---@field name string
---@field configUri string
---@field fingerprint string
---@field transport codeagent.Transport
---@field warnings string[]
---@field folder? string
---@field argv? string[]
---@field resolvedCommand? string
---@field cwd? string
---@field env? codeagent.NamedValue[]
---@field url? string
---@field headers? codeagent.NamedValue[]
---@field files? string[]
---@field changed? codeagent.FieldChange[]

--- May this call run? `scopes` are the answers, besides `deny`, that the policy would take.
---@class codeagent.ApproveCallParams
---@field server string
---@field tool string
---@field description string
---@field arguments codeagent.JsonObject
---@field capability codeagent.Capability
---@field warnings string[]
---@field scopes string[]
---@field title? string
---@field changed? codeagent.FieldChange[]

--- A server asks the user for something: a form by JSON Schema, or a visit to a URL.
---@class codeagent.ElicitParams
---@field server string
---@field mode "form"|"url"
---@field message string
---@field schema? codeagent.JsonObject
---@field url? string

--- A value for `${input:id}` in a config file.
---@class codeagent.InputParams
---@field id string
---@field description string
---@field password boolean
---@field default? string
---@field options? string[]

--- The answer to `approveServer`.
---@class codeagent.ServerDecision
---@field decision "session"|"always"|"deny"

--- The answer to `approveCall`.
---@class codeagent.CallDecision
---@field decision "once"|"session"|"workspace"|"always"|"deny"

--- The answer to `elicit`.
---@class codeagent.ElicitAnswer
---@field action "accept"|"decline"|"cancel"
---@field content? codeagent.JsonObject

--- The answer to `input`.
---@class codeagent.InputAnswer
---@field value string

local M = {}

--- `experimental.codeagent.protocol`, both ways.
M.version = 1

--- Workspace commands: what each takes and answers.
M.commands = {
  --- Every server and every config file.
  status = "codeagent.status", -- codeagent.NoParams -> codeagent.Status
  --- Start a server.
  start = "codeagent.start", -- codeagent.ServerParams -> codeagent.ServerStatus
  --- Stop a server.
  stop = "codeagent.stop", -- codeagent.ServerParams -> codeagent.ServerStatus
  --- Stop and start a server.
  restart = "codeagent.restart", -- codeagent.ServerParams -> codeagent.ServerStatus
  --- Switch a server or a tool on or off for this workspace; the config file is not touched.
  setEnabled = "codeagent.setEnabled", -- codeagent.SetEnabledParams -> codeagent.ServerStatus
  --- Read every config file again; unchanged servers keep their process.
  reload = "codeagent.reload", -- codeagent.NoParams -> codeagent.Status
  --- The last lines of a server's log, or of all.
  logs = "codeagent.logs", -- codeagent.LogsParams -> codeagent.Logs
  --- How much a server shall log.
  setLogLevel = "codeagent.setLogLevel", -- codeagent.SetLogLevelParams -> codeagent.Done
  --- The tools.
  listTools = "codeagent.listTools", -- codeagent.ListToolsParams -> codeagent.ToolList
  --- Call a tool.
  callTool = "codeagent.callTool", -- codeagent.CallToolParams -> codeagent.CallResult
  --- Run a call that stands in an open document, and show its result.
  runCall = "codeagent.runCall", -- codeagent.RunCallParams -> codeagent.RanCall
  --- The tools again, if anything has changed since a revision.
  refreshTools = "codeagent.refreshTools", -- codeagent.RefreshToolsParams -> codeagent.RefreshedTools
  --- The resources and templates.
  listResources = "codeagent.listResources", -- codeagent.ListParams -> codeagent.ResourceList
  --- Read a resource.
  readResource = "codeagent.readResource", -- codeagent.ReadResourceParams -> codeagent.ReadResource
  --- Be told when a resource changes.
  subscribeResource = "codeagent.subscribeResource", -- codeagent.ResourceParams -> codeagent.Done
  --- Be told no longer when a resource changes.
  unsubscribeResource = "codeagent.unsubscribeResource", -- codeagent.ResourceParams -> codeagent.Done
  --- Show a resource's document in the editor, or a file with its text where the editor has no such documents.
  openResource = "codeagent.openResource", -- codeagent.ResourceParams -> codeagent.ShownResource
  --- The prompts.
  listPrompts = "codeagent.listPrompts", -- codeagent.ListParams -> codeagent.PromptList
  --- Fill in a prompt.
  getPrompt = "codeagent.getPrompt", -- codeagent.GetPromptParams -> codeagent.FilledPrompt
  --- Values for an argument of a prompt or a resource template.
  completeArgument = "codeagent.completeArgument", -- codeagent.CompleteArgumentParams -> codeagent.Completion
  --- What the servers say about their own use.
  instructions = "codeagent.instructions", -- codeagent.NoParams -> codeagent.Instructions
  --- Tool catalogue and instructions, as a block for a system prompt.
  promptSection = "codeagent.promptSection", -- codeagent.NoParams -> codeagent.PromptSection
  --- The mentions in a text, with what they stand for.
  resolveMentions = "codeagent.resolveMentions", -- codeagent.ResolveMentionsParams -> codeagent.Mentions
  --- Decide whether a project's server may start.
  setTrust = "codeagent.setTrust", -- codeagent.SetTrustParams -> codeagent.ServerStatus
  --- Every standing decision of the user.
  listApprovals = "codeagent.listApprovals", -- codeagent.NoParams -> codeagent.Approvals
  --- Take a decision back.
  revokeApproval = "codeagent.revokeApproval", -- codeagent.RevokeApprovalParams -> codeagent.Done
  --- Sign in to a server.
  signIn = "codeagent.signIn", -- codeagent.ServerParams -> codeagent.ServerStatus
  --- Sign out of a server.
  signOut = "codeagent.signOut", -- codeagent.ServerParams -> codeagent.ServerStatus
  --- The entry that is in force: each value, its file, secrets redacted.
  effectiveConfig = "codeagent.effectiveConfig", -- codeagent.ServerParams -> codeagent.JsonObject
  --- Preview an import from another tool's config file.
  importConfig = "codeagent.importConfig", -- codeagent.ImportConfigParams -> codeagent.ImportPreview
}

--- What the server tells.
M.notifications = {
  --- The status of servers has changed.
  statusChanged = "codeagent/statusChanged", -- codeagent.StatusChanged
  --- A server's tools have changed.
  toolsChanged = "codeagent/toolsChanged", -- codeagent.ToolsChanged
  --- A server's resources have changed.
  resourcesChanged = "codeagent/resourcesChanged", -- codeagent.ResourcesChanged
  --- A server's prompts have changed.
  promptsChanged = "codeagent/promptsChanged", -- codeagent.PromptsChanged
  --- A subscribed resource has changed.
  resourceUpdated = "codeagent/resourceUpdated", -- codeagent.ResourceUpdated
  --- A log line, after `logs` with `follow`.
  logMessage = "codeagent/logMessage", -- codeagent.LogLine
}

--- What the server asks.
M.questions = {
  --- May this server start?
  approveServer = "codeagent/approveServer", -- codeagent.ApproveServerParams -> codeagent.ServerDecision
  --- May this call run?
  approveCall = "codeagent/approveCall", -- codeagent.ApproveCallParams -> codeagent.CallDecision
  --- A server asks the user.
  elicit = "codeagent/elicit", -- codeagent.ElicitParams -> codeagent.ElicitAnswer
  --- A server asks the editor's model.
  sample = "codeagent/sample", -- codeagent.JsonObject -> codeagent.JsonObject
  --- A value for the config.
  input = "codeagent/input", -- codeagent.InputParams -> codeagent.InputAnswer
}

--- Sent by the editor.
M.workspace_trust_changed = "codeagent/workspaceTrustChanged"

--- What `clientFeatures` may name.
M.client_features = { "approveServer", "approveCall", "elicit", "sample", "input" }

--- The code of each kind of error.
M.errors = {
  invalidParams = -32602, -- The params have the wrong shape.
  unknownServer = -32602, -- No server has this id.
  unknownTool = -32602, -- No tool has this name.
  unknownResource = -32602, -- The server has no such resource.
  unknownPrompt = -32602, -- The server has no such prompt.
  untrusted = -32803, -- The user has not approved this server's launch.
  denied = -32803, -- The user, or the policy, said no to this call.
  disabled = -32803, -- The server or the tool is switched off.
  notReady = -32803, -- The server is not up.
  needsAuth = -32803, -- The server wants the user to sign in.
  timeout = -32803, -- A bound was reached; `setting` names it.
  exited = -32803, -- The server's process ended.
  spawnFailed = -32803, -- The server's process could not be started at all.
  protocol = -32803, -- The server answered something that is not MCP.
  transport = -32803, -- The server could not be reached, or the connection broke.
  transport = -32803, -- A remote server has forgotten the session; a new one is being opened.
  tooLarge = -32803, -- An answer was larger than what is read.
  serverError = -32803, -- The server answered with an error of its own; `serverCode` is its JSON-RPC code.
  stale = -32803, -- What was asked for has changed meanwhile.
}

return M
