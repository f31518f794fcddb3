import type { SQLOutputValue } from 'node:sqlite';
import { checksumOf } from './checksum.ts';
import type { Packer } from './packing.ts';
import { DAMAGED_BIT, KIND } from './packing.ts';

export type Row = Record<string, SQLOutputValue>;

/** All of a row, in the order in which it is bound. */
export const COLUMNS = 'kind, position, revision, create_revision, version, lease, previous, key, value, crc';

/** The same of what a change replaced, beside the change `c`. */
export const PREVIOUS_COLUMNS = COLUMNS.split(', ')
  .map((name) => `p.${name} AS p_${name}`)
  .join(', ');

const NOTHING = new Uint8Array(0);

/** Packs a row, marked where it fails its checksum. `p_` is the half of the row with what the change replaced. */
export function packRow(packer: Packer, row: Row, prefix: '' | 'p_' = ''): void {
  const numbers = {
    kind: numberOf(row, `${prefix}kind`),
    position: numberOf(row, `${prefix}position`),
    revision: numberOf(row, `${prefix}revision`),
    createRevision: numberOf(row, `${prefix}create_revision`),
    version: numberOf(row, `${prefix}version`),
    lease: numberOf(row, `${prefix}lease`),
    previous: numberOf(row, `${prefix}previous`),
  };
  const key = bytesOf(row, `${prefix}key`);
  const value = bytesOf(row, `${prefix}value`);
  const isWhole = checksumOf(numbers, key.byteLength, key, value) === numberOf(row, `${prefix}crc`);
  packer.addEntry(
    (prefix === '' ? numbers.kind & 1 : KIND.previous) + (isWhole ? 0 : DAMAGED_BIT),
    {
      key: Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('latin1'),
      value,
      createRevision: numbers.createRevision,
      modRevision: numbers.revision,
      version: numbers.version,
      lease: numbers.lease,
      position: numbers.position,
    },
    0,
  );
}

/** A number of a row; 0 where there is no row or nothing in it. */
export function numberOf(row: Row | undefined, column: string): number {
  const value = row?.[column];
  return typeof value === 'number' ? value : 0;
}

/** A flipped bit may have made something else of it; then the checksum fails too. */
function bytesOf(row: Row, column: string): Uint8Array {
  const value = row[column];
  return value instanceof Uint8Array ? value : NOTHING;
}
