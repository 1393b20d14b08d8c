// The questions to the user as plain text: a headline that is ours, then everything there is to know, nothing cut.

import { fileURLToPath } from "node:url";
import type { ApproveCallParams, ApproveServerParams, ElicitParams, FieldChange, NamedValue } from "../protocol";
import { oneLine, visible } from "../text";
import { CAPABILITIES } from "./words";

/** A question: `headline` is our own sentence, `text` the rest. Lines that others wrote are indented below ours. */
export interface Question {
  headline: string;
  text: string;
}

const MARGIN = "    ";
const CONTINUED = "↪ ";
/** Shorter than any line of a dialog, so that no line of it is broken anew and loses its margin. */
const WIDTH = 56;

/** Text of others, each line behind a margin, so that none of it can pass for a line of ours. Nothing is cut. */
export function quoted(text: string): string {
  return visible(text)
    .split("\n")
    .flatMap(folded)
    .map((line) => MARGIN + line)
    .join("\n");
}

/** A line in pieces that are narrow enough, broken behind a space where there is one; wide letters count twice. */
function folded(line: string): string[] {
  const pieces: string[] = [];
  let piece = "";
  for (const character of line.replaceAll("\t", "  ")) {
    if (columns(piece) + columns(character) > WIDTH) {
      const space = piece.lastIndexOf(" ") + 1;
      const end = space > WIDTH / 2 ? space : piece.length;
      pieces.push(piece.slice(0, end));
      piece = CONTINUED + piece.slice(end);
    }
    piece += character;
  }
  return [...pieces, piece];
}

function columns(text: string): number {
  let width = 0;
  for (const character of text) {
    width += WIDE.test(character) ? 2 : 1;
  }
  return width;
}

const WIDE =
  /[\u{1100}-\u{115f}\u{2e80}-\u{a4cf}\u{ac00}-\u{d7a3}\u{f900}-\u{faff}\u{fe30}-\u{fe6f}\u{ff00}-\u{ff60}\u{1f000}-\u{3fffd}]/u;

function section(title: string, ...texts: string[]): string {
  return texts.length === 0 ? "" : `${title}\n${texts.map(quoted).join("\n")}`;
}

function named(values: readonly NamedValue[] | undefined, between: string): string[] {
  return (values ?? []).map(({ name, value }) => `${name}${between}${value}`);
}

function changes(changed: readonly FieldChange[] | undefined): string[] {
  return (changed ?? []).flatMap(({ field, before, after }) => [
    field,
    ...visible(before)
      .split("\n")
      .map((line) => `  − ${line}`),
    ...visible(after)
      .split("\n")
      .map((line) => `  + ${line}`),
  ]);
}

function joined(sections: string[], between = "\n\n"): string {
  return sections.filter((part) => part !== "").join(between);
}

export function serverQuestion(params: ApproveServerParams): Question {
  const written = params.argv?.[0];
  const verb = params.transport === "stdio" ? "start" : "be connected";
  const arguments_ = (params.argv ?? [])
    .slice(1)
    .map((value, index) => `${index + 1}. ${value === "" ? "(empty)" : value}`);
  return {
    headline: `May the MCP server “${oneLine(params.server, 80)}” of this workspace ${verb}?`,
    text: joined([
      section("Warning", ...params.warnings),
      section("Changed since you approved it", ...changes(params.changed)),
      joined(
        [
          section("Runs", ...given(params.resolvedCommand)),
          section("Written as", ...(written === params.resolvedCommand ? [] : given(written))),
          section("With the arguments", ...arguments_),
          section("Connects to", ...given(params.url)),
          section("Headers", ...named(params.headers, ": ")),
          section("In the folder", ...given(params.cwd)),
          section("With the variables", ...named(params.env, "=")),
          section("Files of this workspace that it runs", ...(params.files ?? [])),
          section("Declared in", place(params.configUri)),
        ],
        "\n",
      ),
    ]),
  };
}

/** A file's path, as people know it. */
function place(uri: string): string {
  try {
    return fileURLToPath(uri);
  } catch {
    return uri;
  }
}

function given(value: string | undefined): string[] {
  return value === undefined ? [] : [value];
}

export function callQuestion(params: ApproveCallParams): Question {
  const title = params.title === undefined || params.title === params.tool ? [] : [params.title];
  return {
    headline: `May the tool “${oneLine(params.tool, 80)}” of the MCP server “${oneLine(params.server, 80)}” run?`,
    text: joined([
      `As far as can be told, it ${CAPABILITIES[params.capability].word.replace("unknown effect", "has an unknown effect")}.`,
      section("Warning", ...params.warnings),
      section("Changed since you approved it", ...changes(params.changed)),
      section("With the arguments", argumentsText(params.arguments)),
      section("The server says about it", ...title, params.description === "" ? "(nothing)" : params.description),
    ]),
  };
}

/** Arguments as indented JSON. */
export function argumentsText(arguments_: unknown): string {
  return JSON.stringify(arguments_ ?? {}, null, 2);
}

const SCOPES: Record<string, string> = {
  once: "Run Once",
  session: "Allow in This Session",
  workspace: "Always Allow in This Workspace",
  always: "Always Allow",
};

/** The button for a scope that the policy offers; `undefined` for a scope that this client does not know. */
export function scopeTitle(scope: string): string | undefined {
  return SCOPES[scope];
}

/** A URL as it is opened, and what a person should look at; `undefined` where it must not be opened at all. */
export function openable(url: string): { href: string; host: string; punycode: boolean } | undefined {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    return undefined;
  }
  const loopback = /^(localhost|127(?:\.\d+){3}|\[::1\])$/.test(parsed.hostname);
  const allowed = parsed.protocol === "https:" || (parsed.protocol === "http:" && loopback);
  const strange = /[\s\p{Cc}\p{Cf}]/u.test(url) || url.startsWith("-");
  if (!allowed || strange || parsed.username !== "" || parsed.password !== "" || parsed.hostname === "") {
    return undefined;
  }
  const href = parsed.href.replaceAll(/["'`\\|^<>]/g, (found) => encodeURIComponent(found).replace("'", "%27"));
  return { href, host: parsed.host, punycode: parsed.hostname.split(".").some((part) => part.startsWith("xn--")) };
}

export function urlQuestion(params: ElicitParams, target: { href: string; host: string; punycode: boolean }): Question {
  return {
    headline: `The MCP server “${oneLine(params.server, 80)}” asks you to open a page of ${target.host}.`,
    text: joined([
      target.punycode ? section("Warning", "The name of this site has letters that can look like others.") : "",
      section("The whole address", target.href),
      section("The server says", params.message === "" ? "(nothing)" : params.message),
    ]),
  };
}

export function samplingQuestion(server: string, model: string, text: string): Question {
  return {
    headline: `May the MCP server “${oneLine(server, 80)}” ask the language model “${oneLine(model, 80)}”?`,
    text: joined([section("It sends", text)]),
  };
}
