import { CertificateError } from './errors.ts';

/** One element of an encoding; `whole` includes its tag and length, as a view of the buffer that was read. */
export interface DerElement {
  readonly tag: number;
  readonly contents: Uint8Array;
  readonly whole: Uint8Array;
}

/**
 * The elements that stand one after the other in `bytes`. Throws CertificateError where a length reaches beyond the
 * end or is not in its shortest form.
 */
export function readElements(bytes: Uint8Array): DerElement[] {
  const elements: DerElement[] = [];
  for (let at = 0; at < bytes.length;) {
    const { start, end } = extentAt(bytes, at);
    elements.push({
      tag: bytes[at] ?? 0,
      contents: bytes.subarray(start, end),
      whole: bytes.subarray(at, end),
    });
    at = end;
  }
  return elements;
}

/** What is inside the one element that `bytes` holds. */
export function readInside(bytes: Uint8Array): DerElement[] {
  const [element, ...others] = readElements(bytes);
  if (element === undefined || others.length > 0) throw new CertificateError('not one DER element');
  return readElements(element.contents);
}

function extentAt(bytes: Uint8Array, at: number): { readonly start: number; readonly end: number } {
  const first = bytes[at + 1];
  if (first === undefined) throw new CertificateError('DER ends inside an element');
  if (first < 0x80) return checked(bytes, at + 2, first);
  const count = first & 0x7f;
  if (count === 0 || count > 4) throw new CertificateError('DER length out of bounds');
  let length = 0;
  for (let i = 0; i < count; i++) length = length * 256 + (bytes[at + 2 + i] ?? 0);
  if (length < 0x80 || length < 256 ** (count - 1)) throw new CertificateError('DER length not in its shortest form');
  return checked(bytes, at + 2 + count, length);
}

function checked(bytes: Uint8Array, start: number, length: number): { readonly start: number; readonly end: number } {
  if (start + length > bytes.length) throw new CertificateError('DER ends inside an element');
  return { start, end: start + length };
}
