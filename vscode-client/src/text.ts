// Text that others wrote, made safe to show: what is hidden becomes visible, and nothing in it is a link or an icon.

const PLACEHOLDER_LIMIT = 200;

/** What may be an emoji of several characters; or one character that cannot be seen, or that moves others. */
const SEQUENCE_OR_HIDDEN =
  /\p{Emoji}(?:\p{EMod}|\u{FE0F}\u{20E3}?|\u{200D}\p{Emoji})+|[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{2800}]/gu;
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{2800}]/u;
const MARKS = /(\p{M}{4})\p{M}+/gu;

/**
 * The text with every hidden character written out (`\u{202E}`); newlines and tabs stay unless `newlines` is false.
 * A text longer than `limit` characters is cut, and says so.
 */
export function visible(text: string, options: { newlines?: boolean; limit?: number } = {}): string {
  const { newlines = true, limit } = options;
  let shown = text;
  let cut = "";
  if (limit !== undefined && text.length > limit) {
    shown = text.slice(0, limit).toWellFormed();
    cut = `… [${(text.length - limit).toLocaleString("en-US")} more characters]`;
  }
  shown = shown
    .replaceAll("\r\n", "\n")
    .replaceAll(SEQUENCE_OR_HIDDEN, (found) => (keeps(found, newlines) ? found : escapes(found)))
    .replaceAll(MARKS, "$1…");
  return shown + cut;
}

function keeps(found: string, newlines: boolean): boolean {
  if (found === "\n" || found === "\t") {
    return newlines;
  }
  return found.length > 1 && /^\p{RGI_Emoji}$/v.test(found);
}

function escapes(found: string): string {
  let shown = "";
  for (const character of found) {
    const code = character.codePointAt(0) ?? 0;
    shown += found === character || HIDDEN.test(character) ? `\\u{${code.toString(16).toUpperCase()}}` : character;
  }
  return shown;
}

/** The text on one line, for labels: white space folded, hidden characters visible, cut at `limit`. */
export function oneLine(text: string, limit = PLACEHOLDER_LIMIT): string {
  return visible(text.replaceAll(/\s+/g, " ").trim(), { newlines: false, limit });
}

/** For labels in which VS Code would draw `$(name)` as an icon: status bar, quick picks, tree messages. */
export function withoutIcons(text: string): string {
  return text.replaceAll(/\$\((?=[\w-]+(?:~\w+)?\))/g, "\\$(");
}

/** For notifications, in which VS Code makes links, even command links, of `[text](target)`. */
export function withoutLinks(text: string): string {
  return text.replaceAll(/\](?=\()/g, "] ");
}

/** One text for a notification: visible, short, and without links. */
export function forNotification(text: string, limit = 600): string {
  return withoutLinks(visible(text, { limit }));
}

/** `1 tool`, `2 tools`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}

/** Bytes as people read them. */
export function bytes(count: number): string {
  if (count < 1024) {
    return `${count} B`;
  }
  const units = ["KB", "MB", "GB"];
  let value = count / 1024;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value.toFixed(value < 10 ? 1 : 0)} ${units[unit]}`;
}
