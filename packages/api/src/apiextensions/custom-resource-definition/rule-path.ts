/** Paths of fields as rules name them, `.spec.names['a.b']`: each step a field of the schema, or a key of a map. */
import { asSchema } from './schema-parts.ts';

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

/** What of a schema paths go through. */
interface Steps {
  readonly properties?: { readonly [name: string]: unknown };
  readonly additionalProperties?: unknown;
}

/** The path as errors show it, `spec.names[a.b]`; undefined: it is no path, or the schema does not know it. */
export function readRulePath(text: string, schema: Steps): string | undefined {
  let at: Steps | undefined = schema;
  let shown = '';
  for (STEP.lastIndex = 0; STEP.lastIndex < text.length;) {
    const found = STEP.exec(text);
    const name = found === null ? undefined : (found[1] ?? unescaped(found[2] ?? ''));
    if (name === undefined) return undefined;
    const end = STEP.lastIndex;
    const { properties, additionalProperties }: Steps = at;
    if (properties !== undefined) {
      at = Object.hasOwn(properties, name) ? asSchema(properties[name]) : undefined;
      shown += shown === '' ? name : `.${name}`;
    } else {
      at = asSchema(additionalProperties);
      shown += `[${name}]`;
    }
    if (at === undefined) return undefined;
    STEP.lastIndex = end;
  }
  return shown === '' ? undefined : shown;
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
