import { crc32 } from 'node:zlib';

/** What a row says beside its key and value. */
export interface RowNumbers {
  readonly kind: number;
  readonly position: number;
  readonly revision: number;
  readonly createRevision: number;
  readonly version: number;
  readonly lease: number;
  readonly previous: number;
}

const numbers = new Float64Array(8);
const numberBytes = new Uint8Array(numbers.buffer);

/** CRC-32 over all that a row says, so that no bit of it changes unnoticed. `content`: its key, then its value. */
export function checksumOf(row: RowNumbers, keyLength: number, ...content: readonly Uint8Array[]): number {
  numbers[0] = row.kind;
  numbers[1] = row.position;
  numbers[2] = row.revision;
  numbers[3] = row.createRevision;
  numbers[4] = row.version;
  numbers[5] = row.lease;
  numbers[6] = row.previous;
  numbers[7] = keyLength;
  let sum = crc32(numberBytes);
  for (const bytes of content) sum = crc32(bytes, sum);
  return sum;
}
