/** A single text is cut before it is quoted. */
const STRING_MAX = 8192;

interface Output {
  put(text: string): void;
  readonly full: boolean;
}

/** JSON of at most about `max` characters, cut where it is longer: the cost is bounded by `max`, not by the value. */
export function boundedJson(value: unknown, max: number): string {
  let text = '';
  const out: Output = {
    put: (more) => void (text += more),
    get full() {
      return text.length > max;
    },
  };
  write(out, value);
  return out.full ? `${text.slice(0, max)} …` : text;
}

function write(out: Output, value: unknown): void {
  if (Array.isArray(value)) writeList(out, value);
  else if (typeof value === 'object' && value !== null) writeObject(out, value);
  else out.put(JSON.stringify(typeof value === 'string' ? value.slice(0, STRING_MAX) : value) ?? 'null');
}

function writeList(out: Output, list: readonly unknown[]): void {
  let before = '[';
  if (list.length === 0) out.put(before);
  for (const item of list) {
    if (out.full) return;
    out.put(before);
    before = ',';
    write(out, item);
  }
  out.put(']');
}

function writeObject(out: Output, object: object): void {
  out.put('{');
  let before = '';
  for (const [key, item] of Object.entries(object)) {
    if (out.full) return;
    if (item === undefined) continue;
    out.put(`${before}${JSON.stringify(key.slice(0, STRING_MAX))}:`);
    before = ',';
    write(out, item);
  }
  out.put('}');
}
