/** Domain names as text: lower case, labels with dots between, no dot at the end; the root is empty. */

/** Longest name and label on the wire (RFC 1035, 2.3.4). */
export const NAME_BYTES_MAX = 255;
export const LABEL_BYTES_MAX = 63;

const ZERO = 0x30;
const NINE = 0x39;
const LOWER = { a: 0x61, z: 0x7a };
const HYPHEN = 0x2d;
const UNDERSCORE = 0x5f;

/** Whether `name` is `zone` or below it. */
export function isBelow(name: string, zone: string): boolean {
  return zone === '' || name === zone || (name.endsWith(zone) && name[name.length - zone.length - 1] === '.');
}

/** The labels of `name` above `zone`, nearest to the zone first; `name` must be below it. */
export function labelsAbove(name: string, zone: string): readonly string[] {
  const above = zone === '' ? name : name.slice(0, Math.max(0, name.length - zone.length - 1));
  return above === '' ? [] : above.split('.').reverse();
}

/** A configured name in our form: `Cluster.Local.` is `cluster.local`. */
export function normalizeName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

/**
 * One label's bytes as text: letters, digits, hyphen and underscore as they are (in lower case), anything else as
 * `\ddd` (RFC 1035, 5.1), so that a dot inside a label is no separator.
 */
export function labelText(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) {
    const lower = byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte;
    const plain =
      (lower >= LOWER.a && lower <= LOWER.z) ||
      (lower >= ZERO && lower <= NINE) ||
      lower === HYPHEN ||
      lower === UNDERSCORE;
    text += plain ? String.fromCharCode(lower) : `\\${String(byte).padStart(3, '0')}`;
  }
  return text;
}

/** The bytes of a label in our text form. */
export function labelBytes(text: string): Uint8Array {
  const bytes: number[] = [];
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') {
      bytes.push(Number(text.slice(i + 1, i + 4)));
      i += 3;
    } else bytes.push(text.charCodeAt(i));
  }
  return Uint8Array.from(bytes);
}

/** A name as it goes over the wire, written out. */
export function nameBytes(name: string): Uint8Array {
  const labels = name === '' ? [] : name.split('.').map(labelBytes);
  return Uint8Array.from([...labels.flatMap((label) => [label.length, ...label]), 0]);
}

/** Whether every label fits, and all of them together. */
export function isWireName(name: string): boolean {
  if (name === '') return true;
  const lengths = name.split('.').map((label) => labelBytes(label).length);
  return (
    lengths.every((length) => length > 0 && length <= LABEL_BYTES_MAX) &&
    lengths.reduce((sum, length) => sum + length + 1, 1) <= NAME_BYTES_MAX
  );
}
