import { limitValues } from '@binnacle/machinery';

/** Room for an answer of the usual size. */
const FIRST_BYTES = 4096;

/**
 * The text of an answer, whatever pieces it comes in: a million of one byte take no more room than one of a million.
 * Undefined where it is longer than `bytesMax`; the rest is not read.
 */
export async function readText(body: AsyncIterable<Uint8Array>, bytesMax: number): Promise<string | undefined> {
  const whole = await gathered(body, bytesMax);
  return whole === undefined ? undefined : new TextDecoder().decode(whole);
}

/** The same of a document; absent: it may have as many values as one that a client sends. Throws 413 for more. */
export async function readDocumentText(
  body: AsyncIterable<Uint8Array>,
  bytesMax: number,
  valuesMax?: number,
): Promise<string | undefined> {
  const whole = await gathered(body, bytesMax);
  if (whole === undefined) return undefined;
  limitValues(whole, valuesMax);
  return new TextDecoder().decode(whole);
}

async function gathered(body: AsyncIterable<Uint8Array>, bytesMax: number): Promise<Uint8Array | undefined> {
  let room = new Uint8Array(FIRST_BYTES);
  let length = 0;
  for await (const part of body) {
    if (length + part.length > bytesMax) return undefined;
    if (length + part.length > room.length) {
      const larger = new Uint8Array(Math.max(2 * room.length, length + part.length));
      larger.set(room.subarray(0, length));
      room = larger;
    }
    room.set(part, length);
    length += part.length;
  }
  return room.subarray(0, length);
}
