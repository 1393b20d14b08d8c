// A JSON value as a tree of native disclosure widgets: long lists in slices, deep ones opened on demand.

import { useState } from "react";

import { visible } from "../text";

const SLICE = 100;
const OPEN_DEPTH = 2;

export function JsonTree({ value, name, depth = 0 }: { value: unknown; name: string; depth?: number }) {
  const [open, setOpen] = useState(depth < OPEN_DEPTH);
  const [shown, setShown] = useState(SLICE);
  if (typeof value !== "object" || value === null) {
    return (
      <div className="json-leaf">
        <span className="json-name">{name}</span>
        <Plain value={value} />
      </div>
    );
  }
  const entries = Object.entries(value);
  const size = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`;
  return (
    <details className="json" open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <span className="json-name">{name}</span>
        <span className="pale">{size}</span>
      </summary>
      {open &&
        entries
          .slice(0, shown)
          .map(([key, inner]) => <JsonTree key={key} name={visible(key)} value={inner} depth={depth + 1} />)}
      {open && entries.length > shown && (
        <button type="button" className="vscode-button secondary" onClick={() => setShown(shown + SLICE)}>
          Show {Math.min(SLICE, entries.length - shown)} of {(entries.length - shown).toLocaleString()} more
        </button>
      )}
    </details>
  );
}

function Plain({ value }: { value: unknown }) {
  if (typeof value === "string") {
    return <span className="json-string">{JSON.stringify(visible(value, { limit: 5000 }))}</span>;
  }
  return <span className={`json-${typeof value}`}>{String(value)}</span>;
}
