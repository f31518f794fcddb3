/** A plain value of an object that a form asks for. */
export interface FormField {
  readonly path: readonly (string | number)[];
  readonly label: string;
  readonly value: string | number | boolean;
}

const FIELDS_MAX = 60;
/** Said by the page itself. */
const FIXED = new Set(['apiVersion', 'kind']);

/** The fields of a form: all plain values of an object, in its order. */
export function formFields(object: unknown): readonly FormField[] {
  const fields: FormField[] = [];
  collect(object, [], fields);
  return fields;
}

function collect(value: unknown, path: readonly (string | number)[], fields: FormField[]): void {
  if (fields.length >= FIELDS_MAX || (path.length === 1 && FIXED.has(String(path[0])))) return;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    fields.push({ path, label: path.join('.'), value });
  } else if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) collect(item, [...path, at], fields);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) collect(inner, [...path, key], fields);
  }
}

/** The object with another value at a path; the rest is shared. */
export function withValue(object: unknown, [step, ...rest]: readonly (string | number)[], value: unknown): unknown {
  if (step === undefined) return value;
  if (Array.isArray(object)) return object.map((item, at) => (at === step ? withValue(item, rest, value) : item));
  const members = (object ?? {}) as { readonly [key: string]: unknown };
  const inner = Object.hasOwn(members, step) ? members[step] : undefined;
  return Object.fromEntries(
    [...Object.entries(members).filter(([key]) => key !== step), [step, withValue(inner, rest, value)]].toSorted(
      inOrderOf(members),
    ),
  );
}

/** As they stood. */
function inOrderOf(members: object): (a: readonly unknown[], b: readonly unknown[]) => number {
  const order = new Map(Object.keys(members).map((key, at) => [key, at]));
  return ([a], [b]) => (order.get(String(a)) ?? order.size) - (order.get(String(b)) ?? order.size);
}

/** As a schema names places: items of lists are `[]`. */
export function schemaPath(path: readonly (string | number)[]): readonly string[] {
  return path.map((step) => (typeof step === 'number' ? '[]' : step));
}
