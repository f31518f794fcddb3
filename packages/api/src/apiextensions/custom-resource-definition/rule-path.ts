/** Paths of fields as rules name them, `.spec.names['a.b']`: each step a field of the schema, or a key of a map. */
import type { SchemaProps } from '@binnacle/machinery/structural';

const STEP = /\.([^.[\]]+)|\['((?:[^'\\]|\\.)*)'\]/y;
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['a', '\u0007'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ["'", "'"],
  ['\\', '\\'],
]);

/** The path as errors show it, `spec.names[a.b]`; undefined: it is no path, or the schema does not know it. */
export function readRulePath(text: string, schema: SchemaProps): string | undefined {
  let at: SchemaProps | undefined = schema;
  let shown = '';
  for (STEP.lastIndex = 0; STEP.lastIndex < text.length;) {
    const found = STEP.exec(text);
    const name = found === null ? undefined : (found[1] ?? unescaped(found[2] ?? ''));
    if (name === undefined) return undefined;
    const end = STEP.lastIndex;
    const { properties, additionalProperties }: SchemaProps = at;
    if (properties !== undefined) {
      at = Object.hasOwn(properties, name) ? properties[name] : undefined;
      shown += shown === '' ? name : `.${name}`;
    } else {
      at = isSchema(additionalProperties) ? additionalProperties : undefined;
      shown += `[${name}]`;
    }
    if (at === undefined) return undefined;
    STEP.lastIndex = end;
  }
  return shown === '' ? undefined : shown;
}

function isSchema(value: unknown): value is SchemaProps {
  return typeof value === 'object' && value !== null;
}

function unescaped(text: string): string | undefined {
  let isWrong = false;
  const plain = text.replaceAll(/\\(.)/g, (_, letter: string) => {
    const escape = ESCAPES.get(letter);
    isWrong ||= escape === undefined;
    return escape ?? '';
  });
  return isWrong ? undefined : plain;
}
