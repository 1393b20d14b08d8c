// A tool's result: every part as data, nothing of it as HTML, a link or a script.

import type { ReactNode } from "react";

import type { Part } from "../model/result";
import { JsonTree } from "./jsonTree";
import type { ResultShown } from "./messages";

export interface Actions {
  copy: () => void;
  open: () => void;
  compare: () => void;
  readLink: (uri: string) => void;
}

export function Result({ result, actions }: { result: ResultShown; actions: Actions }) {
  const leads = whatLeads(result);
  return (
    <section className={result.isError ? "result error" : "result"} aria-labelledby="result-title">
      <div className="result-head">
        <h2 id="result-title">
          {result.isError ? "The tool reports an error" : "Result"} <span className="pale">in {result.duration}</span>
        </h2>
        <div className="buttons">
          <button type="button" className="vscode-button secondary" onClick={actions.copy}>
            Copy
          </button>
          <button type="button" className="vscode-button secondary" onClick={actions.open}>
            Open as Document
          </button>
          {result.canCompare && (
            <button type="button" className="vscode-button secondary" onClick={actions.compare}>
              Compare with the Run Before
            </button>
          )}
        </div>
      </div>
      {result.warnings.map((warning, index) => (
        <p className="warning" key={index}>
          {warning}
        </p>
      ))}
      {result.note !== undefined && <p className="warning">{result.note}</p>}
      {result.table !== undefined && <TableView {...result.table} />}
      {result.parts.length === 0 && result.structured === undefined && <p className="pale">(no output)</p>}
      {result.parts.length > 0 && (
        <Fold title={result.structured === undefined ? undefined : "As text"} open={leads === "text"}>
          <Parts parts={result.parts} actions={actions} />
        </Fold>
      )}
      {result.structured !== undefined && (
        <Fold title="Structured result" open={leads === "structured"}>
          <JsonTree value={result.structured} name="result" />
        </Fold>
      )}
    </section>
  );
}

/** What is open at first sight: a table; else whichever of text and structure says more. */
function whatLeads({ table, structured, parts }: ResultShown): "table" | "structured" | "text" {
  if (table !== undefined) {
    return "table";
  }
  const values = typeof structured === "object" && structured !== null ? Object.values(structured) : [structured];
  const simple = values.length <= 1 && (typeof values[0] !== "object" || values[0] === null);
  const onlyText = parts.every((part) => part.kind === "text");
  return simple || !onlyText ? "text" : "structured";
}

function Fold({ title, open, children }: { title: string | undefined; open: boolean; children: ReactNode }) {
  return title === undefined ? (
    children
  ) : (
    <details open={open}>
      <summary>{title}</summary>
      {children}
    </details>
  );
}

function Parts({ parts, actions }: { parts: Part[]; actions: Actions }) {
  return parts.map((part, index) => <PartView key={index} part={part} actions={actions} />);
}

function PartView({ part, actions }: { part: Part; actions: Actions }) {
  switch (part.kind) {
    case "text":
      return part.language === "json" ? (
        <JsonText text={part.text} cut={part.cut} />
      ) : (
        <Text text={part.text === "" ? "(empty text)" : part.text} cut={part.cut} />
      );
    case "image":
      return (
        <figure>
          <img src={`data:${part.mimeType};base64,${part.data}`} alt={`Result of the tool: ${part.mimeType}`} />
          <figcaption className="pale">
            {part.mimeType}, {part.size}
          </figcaption>
        </figure>
      );
    case "audio":
      return (
        <figure>
          <audio controls src={`data:${part.mimeType};base64,${part.data}`} />
          <figcaption className="pale">
            {part.mimeType}, {part.size}
          </figcaption>
        </figure>
      );
    case "link":
      return (
        <div className="link">
          <div>
            <strong>{part.name}</strong> <code>{part.mention}</code>
            {part.description !== undefined && <div className="pale">{part.description}</div>}
          </div>
          <button type="button" className="vscode-button secondary" onClick={() => actions.readLink(part.uri)}>
            Read
          </button>
        </div>
      );
    case "resource":
      return (
        <figure>
          <figcaption className="pale">
            {part.uri} ({part.mimeType})
          </figcaption>
          <Text text={part.text} cut={part.cut} />
        </figure>
      );
    case "note":
      return <p className="pale">{part.text}</p>;
  }
}

function Text({ text, cut }: { text: string; cut: number }) {
  return (
    <>
      {/* Focusable, so that the keyboard can scroll it. */}
      <pre tabIndex={0} role="region" aria-label="Text">
        {text}
      </pre>
      {cut > 0 && <p className="warning">{cut.toLocaleString()} more characters: open the result as a document.</p>}
    </>
  );
}

function JsonText({ text, cut }: { text: string; cut: number }) {
  if (cut > 0) {
    return <Text text={text} cut={cut} />;
  }
  try {
    return <JsonTree value={JSON.parse(text) as unknown} name="text" />;
  } catch {
    return <Text text={text} cut={cut} />;
  }
}

function TableView({ columns, rows, cut }: NonNullable<ResultShown["table"]>) {
  return (
    <div className="table" tabIndex={0} role="region" aria-label="Table">
      <table className="vscode-table zebra bordered-rows">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {cut > 0 && <p className="warning">{cut.toLocaleString()} more rows: open the result as a document.</p>}
    </div>
  );
}
