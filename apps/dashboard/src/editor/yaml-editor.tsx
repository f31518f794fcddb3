import { autocompletion } from '@codemirror/autocomplete';
import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { HighlightStyle, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { Annotation, EditorState } from '@codemirror/state';
import { EditorView, highlightSpecialChars, hoverTooltip, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'react';
import type { ReactNode } from 'react';
import { pageNonce } from '../page-nonce.ts';
import { explanationAt, suggestionsAt } from './completion.ts';
import type { KindSchema } from './use-schemas.ts';

interface YamlEditorProps {
  readonly label: string;
  readonly value: string;
  /** Completion and explanations come from it; undefined: there are none. */
  readonly schema: KindSchema | undefined;
  readonly onChange: (value: string) => void;
}

/** A change that nobody wrote here. */
const GIVEN = Annotation.define<boolean>();
const COLORS = HighlightStyle.define([
  { tag: tags.definition(tags.propertyName), color: 'var(--mantine-color-anchor)' },
  { tag: [tags.string, tags.content], color: 'var(--mantine-color-text)' },
  { tag: [tags.comment, tags.meta], color: 'var(--mantine-color-dimmed)' },
]);
const THEME = EditorView.theme({
  '&': { border: '1px solid var(--mantine-color-default-border)', fontSize: '13px', height: '100%' },
  '&.cm-focused': { outline: '2px solid var(--mantine-primary-color-filled)' },
  '.cm-content': { fontFamily: 'var(--mantine-font-family-monospace)', caretColor: 'var(--mantine-color-text)' },
  '.cm-gutters': { background: 'transparent', color: 'var(--mantine-color-dimmed)', border: 'none' },
  '.cm-tooltip': {
    background: 'var(--mantine-color-body)',
    color: 'var(--mantine-color-text)',
    border: '1px solid var(--mantine-color-default-border)',
    maxWidth: '36rem',
  },
  '.cm-tooltip-hover': { padding: '6px 10px' },
  '.cm-cursor': { borderLeftColor: 'var(--mantine-color-text)' },
});

/** YAML, completed and explained by the kind's own schema. Escape, then Tab, leaves it by the keyboard. */
export function YamlEditor({ label, value, schema, onChange }: YamlEditorProps): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  // The editor lives longer than what is drawn: it asks for what is true now.
  const now = useRef({ schema, onChange });
  now.current = { schema, onChange };
  useEffect(() => {
    if (place.current === null) return undefined;
    const editor = new EditorView({ parent: place.current, state: stateOf({ label, value, now }) });
    view.current = editor;
    return () => editor.destroy();
  }, [label]);
  useEffect(() => {
    const editor = view.current;
    if (editor === undefined || editor.state.doc.toString() === value) return;
    const changes = { from: 0, to: editor.state.doc.length, insert: value };
    editor.dispatch({ changes, annotations: GIVEN.of(true) });
  }, [value]);
  return <div ref={place} style={{ height: '100%', minHeight: '20rem', overflow: 'hidden' }} />;
}

interface Start {
  readonly label: string;
  readonly value: string;
  readonly now: { readonly current: Pick<YamlEditorProps, 'schema' | 'onChange'> };
}

function stateOf({ label, value, now }: Start): EditorState {
  return EditorState.create({
    doc: value,
    extensions: [
      EditorView.cspNonce.of(pageNonce()),
      EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
      [
        lineNumbers(),
        highlightSpecialChars(),
        history(),
        yaml(),
        indentUnit.of('  '),
        syntaxHighlighting(COLORS),
        THEME,
      ],
      autocompletion({ override: [(context) => complete(context, now.current.schema)] }),
      hoverTooltip((editor, offset) => explain(editor, offset, now.current.schema)),
      keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
      EditorView.domEventHandlers({ beforeinput: typeOverSelection }),
      EditorView.updateListener.of((update) => {
        const isGiven = update.transactions.some((one) => one.annotation(GIVEN) === true);
        if (update.docChanged && !isGiven) now.current.onChange(update.state.doc.toString());
      }),
    ],
  });
}

/**
 * What is typed over a selection replaces it here: a browser that does so itself joins lines by writing styles into them,
 * which the page's policy forbids. What is composed of several keys is left to the browser.
 */
function typeOverSelection(event: InputEvent, editor: EditorView): boolean {
  const { inputType, data } = event;
  if (editor.composing || inputType !== 'insertText' || data === null || editor.state.selection.main.empty)
    return false;
  event.preventDefault();
  editor.dispatch(editor.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true });
  return true;
}

function complete(
  { state, pos, explicit }: CompletionContext,
  schema: KindSchema | undefined,
): CompletionResult | null {
  if (schema === undefined) return null;
  const found = suggestionsAt(schema, state.doc.toString(), pos);
  if (found === undefined || (!explicit && found.from === pos)) return null;
  return {
    from: found.from,
    options: found.options.map(({ label, type, description, text }) => ({
      ...{ label, detail: type, apply: text },
      ...(description === '' ? {} : { info: description }),
    })),
    validFor: /^[\w.$/-]*$/,
  };
}

function explain(editor: EditorView, offset: number, schema: KindSchema | undefined) {
  const found = schema === undefined ? undefined : explanationAt(schema, editor.state.doc.toString(), offset);
  if (found === undefined) return null;
  return {
    pos: offset,
    create: () => {
      const dom = document.createElement('div');
      dom.textContent = [`${found.name}: ${found.type}`, found.description].filter(Boolean).join(' — ');
      return { dom };
    },
  };
}
