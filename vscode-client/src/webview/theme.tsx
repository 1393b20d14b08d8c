// What the form library leaves to its host: buttons with words, list items in a row, selects with a name, free JSON.

import {
  ariaDescribedByIds,
  enumOptionSelectedValue,
  enumOptionValueDecoder,
  enumOptionValueEncoder,
  type ArrayFieldItemTemplateProps,
  type FieldErrorProps,
  type FieldProps,
  type IconButtonProps,
  type RegistryFieldsType,
  type RegistryWidgetsType,
  type TemplatesType,
  type WidgetProps,
  errorId,
  getTemplate,
} from "@rjsf/utils";
import { useState } from "react";

function button(words: string, sign: string) {
  return function Button({ id, onClick, disabled }: IconButtonProps) {
    return (
      <button
        type="button"
        {...(id === undefined ? {} : { id })}
        className="vscode-button secondary small"
        onClick={onClick}
        disabled={disabled === true}
        aria-label={words}
        title={words}
      >
        {sign}
      </button>
    );
  };
}

function ArrayItem({ children, buttonsProps, registry, hasToolbar }: ArrayFieldItemTemplateProps) {
  const Buttons = getTemplate("ArrayFieldItemButtonsTemplate", registry);
  return (
    <div className="array-item">
      <div className="array-item-field">{children}</div>
      {hasToolbar && (
        <div className="array-item-buttons">
          <Buttons {...buttonsProps} />
        </div>
      )}
    </div>
  );
}

function FieldErrors({ errors = [], fieldPathId }: FieldErrorProps) {
  return errors.length === 0 ? null : (
    <ul id={errorId(fieldPathId)} className="errors">
      {errors.map((error, index) => (
        <li key={index}>{error}</li>
      ))}
    </ul>
  );
}

function Select(props: WidgetProps) {
  const { id, options, value, disabled, readonly, multiple = false, onChange, label, hideLabel, schema } = props;
  const choices = options.enumOptions ?? [];
  const empty = multiple ? [] : "";
  return (
    <div className="vscode-select">
      <select
        id={id}
        multiple={multiple}
        value={enumOptionSelectedValue(value, choices, multiple, "indexed", empty) as string | string[]}
        disabled={disabled === true || readonly === true}
        aria-label={hideLabel === true || label === "" ? label || "Kind of value" : undefined}
        aria-describedby={ariaDescribedByIds(id)}
        onChange={({ target }) => {
          const picked = multiple ? Array.from(target.selectedOptions, (option) => option.value) : target.value;
          onChange(enumOptionValueDecoder(picked, choices, "indexed", options.emptyValue));
        }}
      >
        {!multiple && schema.default === undefined && <option value="">{props.placeholder ?? ""}</option>}
        {choices.map((choice, index) => (
          <option key={index} value={enumOptionValueEncoder(choice.value, index, "indexed")}>
            {choice.label}
          </option>
        ))}
      </select>
      {!multiple && (
        <span className="chevron-icon" aria-hidden="true">
          ⌄
        </span>
      )}
    </div>
  );
}

/** Any JSON value, as text; text that is no JSON is an error of this field, and is not sent. */
function JsonField({ fieldPathId, schema, formData, onChange, name, required, disabled }: FieldProps) {
  const [text, setText] = useState(formData === undefined ? "" : JSON.stringify(formData, null, 2));
  const [wrong, setWrong] = useState(false);
  const id = fieldPathId.$id;
  return (
    <div className="form-group">
      <label htmlFor={id}>
        {schema.title ?? name} (JSON){required === true && <span className="required">*</span>}
      </label>
      {schema.description !== undefined && <div className="field-description">{schema.description}</div>}
      <textarea
        id={id}
        className="vscode-textarea monospace"
        rows={3}
        value={text}
        disabled={disabled === true}
        spellCheck={false}
        aria-invalid={wrong}
        onChange={({ target }) => {
          setText(target.value);
          try {
            onChange(target.value.trim() === "" ? undefined : JSON.parse(target.value), fieldPathId.path);
            setWrong(false);
          } catch {
            setWrong(true);
          }
        }}
      />
      {wrong && <p className="errors">This is no JSON. Text needs quotes: "like this".</p>}
    </div>
  );
}

export const templates: Partial<TemplatesType> = {
  ArrayFieldItemTemplate: ArrayItem,
  FieldErrorTemplate: FieldErrors,
  ButtonTemplates: {
    AddButton: button("Add", "+ Add"),
    RemoveButton: button("Remove", "✕"),
    MoveUpButton: button("Move up", "↑"),
    MoveDownButton: button("Move down", "↓"),
    CopyButton: button("Copy", "⧉"),
    ClearButton: button("Clear", "✕"),
    SubmitButton: () => null,
  },
};

export const widgets: RegistryWidgetsType = { SelectWidget: Select };
export const fields: RegistryFieldsType = { json: JsonField };
