import { bytesOfLetters } from './base64.ts';

/** One block of a PEM text (RFC 7468, and RFC 1421 for headers). */
export interface PemBlock {
  /** What stands behind BEGIN and END: `CERTIFICATE`. */
  readonly type: string;
  /** Whether lines like `Proc-Type: 4,ENCRYPTED` stand before the contents. */
  readonly hasHeaders: boolean;
  readonly bytes: Uint8Array;
}

const BEGIN = '-----BEGIN ';
const END = '\n-----END ';
const DASHES = '-----';
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const SPACES = /[ \t\r\n]+/g;

/**
 * The blocks of a text as Go's `pem.Decode` finds them, one call after the other: what stands between them is passed
 * over, and so is a block that is not whole. Linear in the text: whatever was looked at once is not looked at again.
 */
export function readPemBlocks(text: string): PemBlock[] {
  const blocks: PemBlock[] = [];
  for (let from = 0; ;) {
    const end = text.indexOf(END, from);
    if (end === -1) return blocks;
    // Of several beginnings the last one is this end's. A slice is a view: nothing before `from` is searched again.
    const part = text.slice(from, end + 1);
    const begin = part.lastIndexOf(BEGIN);
    const startsLine = begin === 0 || part[begin - 1] === '\n';
    const block = begin === -1 || !startsLine ? undefined : blockIn(part.slice(begin + BEGIN.length));
    const tail = end + END.length;
    const isClosed = block !== undefined && text.startsWith(`${block.type}${DASHES}`, tail);
    const lineEnd = endOfLine(text, tail);
    const rest = isClosed ? text.slice(tail + block.type.length + DASHES.length, lineEnd) : '';
    if (isClosed && rest.trim() === '') {
      blocks.push(block);
      from = lineEnd;
    } else {
      from = tail;
    }
  }
}

/** From behind BEGIN to the end of the last line before END. Undefined: it is none. */
function blockIn(text: string): PemBlock | undefined {
  let at = endOfLine(text, 0);
  const first = text.slice(0, at).trimEnd();
  if (!first.endsWith(DASHES)) return undefined;
  let hasHeaders = false;
  for (let next = at; next < text.length; at = next) {
    next = endOfLine(text, at + 1);
    if (!text.slice(at, next).includes(':')) break;
    hasHeaders = true;
  }
  // An empty line ends headers, also where nothing comes after them.
  if (hasHeaders && text.length - at < 2) return undefined;
  const body = text.slice(at).replace(SPACES, '');
  if (body.length % 4 !== 0 || !BASE64.test(body)) return undefined;
  return { type: first.slice(0, -DASHES.length), hasHeaders, bytes: bytesOfLetters(atob(body)) };
}

/** Where the line that `from` is in ends: at its line feed, or at the end. */
function endOfLine(text: string, from: number): number {
  const at = text.indexOf('\n', from);
  return at === -1 ? text.length : at;
}

/** A block of a certificate as Go writes it: lines of 64 letters. */
export function certificatePem(der: Uint8Array): string {
  let letters = '';
  for (const byte of der) letters += String.fromCharCode(byte);
  const lines = btoa(letters).match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}
