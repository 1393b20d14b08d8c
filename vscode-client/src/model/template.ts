// URI templates (RFC 6570) as far as a form needs them: which variables there are, and the URI with them filled in.

const EXPRESSION = /\{([+#./;?&]?)([^{}]+)\}/g;
const OPERATORS: Record<string, { first: string; between: string; named: boolean; plain: boolean }> = {
  "": { first: "", between: ",", named: false, plain: false },
  "+": { first: "", between: ",", named: false, plain: true },
  "#": { first: "#", between: ",", named: false, plain: true },
  ".": { first: ".", between: ".", named: false, plain: false },
  "/": { first: "/", between: "/", named: false, plain: false },
  ";": { first: ";", between: ";", named: true, plain: false },
  "?": { first: "?", between: "&", named: true, plain: false },
  "&": { first: "&", between: "&", named: true, plain: false },
};

function names(list: string): { name: string; length: number | undefined }[] {
  return list.split(",").map((spec) => {
    const [name = "", length] = spec.replace(/\*$/, "").split(":");
    return { name: name.trim(), length: length === undefined ? undefined : Number(length) };
  });
}

/** The names of a template's variables, in order, each once. */
export function variables(template: string): string[] {
  const found = [...template.matchAll(EXPRESSION)].flatMap(([, , list]) => names(list ?? "").map(({ name }) => name));
  return [...new Set(found)].filter((name) => name !== "");
}

/** The URI that a template gives for some values (strings only); variables without a value vanish. */
export function fill(template: string, values: ReadonlyMap<string, string>): string {
  return template.replaceAll(EXPRESSION, (_, operator: string, list: string) => {
    const rule = OPERATORS[operator] ?? OPERATORS[""];
    if (rule === undefined) {
      return "";
    }
    const parts = names(list).flatMap(({ name, length }) => {
      const value = values.get(name);
      if (value === undefined || value === "") {
        return [];
      }
      const encoded = encode(length === undefined ? value : Array.from(value).slice(0, length).join(""), rule.plain);
      return [rule.named ? `${name}=${encoded}` : encoded];
    });
    return parts.length === 0 ? "" : rule.first + parts.join(rule.between);
  });
}

function encode(value: string, plain: boolean): string {
  if (plain) {
    return encodeURI(value)
      .replaceAll(/%25(?=[0-9A-Fa-f]{2})/g, "%")
      .replaceAll(/%5B/g, "[")
      .replaceAll(/%5D/g, "]");
  }
  return encodeURIComponent(value).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
