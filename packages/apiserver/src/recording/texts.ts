/** Longer ones are cut. */
const CHARACTERS_MAX = 32_768;
/** In the first byte of what is written: some character is none of ASCII, so that each takes two bytes. */
const WIDE = 0x80;
/** So many texts stand together at the most. */
const TEXTS_MAX = 0x7f;

const ascii = new TextDecoder();

/** Bytes that texts take, of one byte a character or of two. */
export function roomFor(texts: readonly (string | undefined)[], bytesPerCharacter: 1 | 2): number {
  let characters = 0;
  let lengths = 1 + texts.length;
  for (const text of texts) {
    if (text === undefined) continue;
    const length = Math.min(text.length, CHARACTERS_MAX);
    characters += length;
    if (length >= 0x7f) lengths += length < 0x3fff ? 1 : 2;
  }
  return lengths + characters * bytesPerCharacter;
}

/**
 * Writes texts (127 at the most) of one byte a character: how many, their lengths, then all of them. Answers with where it
 * ends; undefined: one of them is not ASCII, and nothing of what was written counts.
 *
 * Character by character: of texts this short that is what a call of an encoder costs alone.
 */
export function writeNarrow(
  bytes: Uint8Array,
  start: number,
  texts: readonly (string | undefined)[],
): number | undefined {
  let at = writeLengths(bytes, start, texts);
  let all = 0;
  for (const text of texts) {
    if (text === undefined) continue;
    const end = Math.min(text.length, CHARACTERS_MAX);
    for (let i = 0; i < end; i++) {
      const code = text.charCodeAt(i);
      all |= code;
      bytes[at++] = code;
    }
  }
  return all < 0x80 ? at : undefined;
}

/** The same of two bytes a character, whichever characters they are. */
export function writeWide(bytes: Uint8Array, start: number, texts: readonly (string | undefined)[]): number {
  let at = writeLengths(bytes, start, texts);
  bytes[start] = texts.length | WIDE;
  for (const text of texts) {
    if (text === undefined) continue;
    const end = Math.min(text.length, CHARACTERS_MAX);
    for (let i = 0; i < end; i++) {
      const code = text.charCodeAt(i);
      bytes[at++] = code & 0xff;
      bytes[at++] = code >> 8;
    }
  }
  return at;
}

/** Reads what was written from `start` to `end`. */
export function readTexts(bytes: Uint8Array, start: number, end: number): (string | undefined)[] {
  const first = bytes[start] ?? 0;
  const lengths: number[] = [];
  let at = start + 1;
  for (let left = first & TEXTS_MAX; left > 0; left--) {
    let length = 0;
    for (let shift = 0, more = true; more; shift += 7) {
      const byte = bytes[at++] ?? 0;
      length |= (byte & 0x7f) << shift;
      more = byte >= 0x80;
    }
    lengths.push(length);
  }
  const text = (first & WIDE) === 0 ? ascii.decode(bytes.subarray(at, end)) : readWide(bytes, at, end);
  let from = 0;
  return lengths.map((length) => (length === 0 ? undefined : text.slice(from, (from += length - 1))));
}

/** One more than a text has characters; 0: there is none. Seven bits a byte, the lowest first. */
function writeLengths(bytes: Uint8Array, start: number, texts: readonly (string | undefined)[]): number {
  let at = start;
  bytes[at++] = texts.length;
  for (const text of texts) {
    let length = text === undefined ? 0 : Math.min(text.length, CHARACTERS_MAX) + 1;
    for (; length >= 0x80; length >>= 7) bytes[at++] = (length & 0x7f) | 0x80;
    bytes[at++] = length;
  }
  return at;
}

function readWide(bytes: Uint8Array, start: number, end: number): string {
  let text = '';
  for (let at = start; at < end; at += 2) text += String.fromCharCode((bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8));
  return text;
}
