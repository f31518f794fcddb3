import { base64ToBytes } from '@binnacle/base';
/** The node ports that may be given out, both ends included. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

interface RangeAllocation {
  readonly range?: unknown;
  readonly data?: unknown;
}

/**
 * The record of taken ports in the form of upstream's RangeAllocation: `data` is a number in big-endian bytes whose
 * bit n says that port first+n is taken.
 */
export function encodePorts(taken: Iterable<number>, range: PortRange): Uint8Array {
  const bytes = new Uint8Array(Math.ceil((range.last - range.first + 1) / 8));
  for (const port of taken) {
    const bit = port - range.first;
    if (port < range.first || port > range.last) continue;
    const at = bytes.length - 1 - (bit >> 3);
    bytes[at] = (bytes[at] ?? 0) | (1 << (bit & 7));
  }
  const record = {
    kind: 'RangeAllocation',
    apiVersion: 'v1',
    metadata: { creationTimestamp: null },
    range: `${range.first}-${range.last}`,
    data: btoa(String.fromCharCode(...withoutLeadingZeros(bytes))),
  };
  return new TextEncoder().encode(JSON.stringify(record));
}

/** Nothing is taken where the record is of another range or in another encoding: the Services say it anew. */
export function decodePorts(value: Uint8Array, range: PortRange): Set<number> {
  const record = parse(value);
  const taken = new Set<number>();
  if (record?.range !== `${range.first}-${range.last}` || typeof record.data !== 'string') return taken;
  const bytes = base64ToBytes(record.data);
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const byte = bytes[bytes.length - 1 - (bit >> 3)] ?? 0;
    if ((byte & (1 << (bit & 7))) !== 0) taken.add(range.first + bit);
  }
  return taken;
}

function parse(value: Uint8Array): RangeAllocation | undefined {
  if (value[0] !== 0x7b) return undefined;
  return JSON.parse(new TextDecoder().decode(value)) as RangeAllocation;
}

function withoutLeadingZeros(bytes: Uint8Array): Uint8Array {
  const first = bytes.findIndex((byte) => byte !== 0);
  return first === -1 ? new Uint8Array() : bytes.subarray(first);
}
