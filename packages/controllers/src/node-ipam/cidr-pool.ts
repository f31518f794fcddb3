import { addressBytes, addressText } from '@binnacle/base';
import { NodeCidrError } from '../errors.ts';
import type { PoolMeter } from './figures.ts';

/** A network as numbers. */
interface Network {
  /** Its first address. */
  readonly first: bigint;
  readonly prefix: number;
  /** 32 or 128. */
  readonly bits: number;
}

/** At most this many bits of a cluster's network tell its nodes apart, as upstream: 65,536 nodes. */
const NODE_BITS_MAX = 16;

/** Hands out equal parts of a network, each once. */
export class CidrPool {
  readonly #network: Network;
  readonly #mask: number;
  readonly #size: number;
  readonly #used = new Set<number>();
  readonly #meter: PoolMeter | undefined;
  #next = 0;

  /** `mask`: the prefix of each part; `meterOf`: who keeps score of so many parts. Throws NodeCidrError for what is no network, or cannot be parted so. */
  constructor(cidr: string, mask: number, meterOf?: (cidr: string, size: number) => PoolMeter) {
    this.#network = parseNetwork(cidr);
    this.#mask = mask;
    const { prefix, bits } = this.#network;
    if (!Number.isInteger(mask) || mask < prefix || mask > bits) {
      throw new NodeCidrError(`a node's mask of ${mask} bits does not fit into ${cidr}`);
    }
    if (mask - prefix > NODE_BITS_MAX) {
      throw new NodeCidrError(`${cidr} has more than ${2 ** NODE_BITS_MAX} networks of ${mask} bits`);
    }
    this.#size = 2 ** (mask - prefix);
    this.#meter = meterOf?.(cidr, this.#size);
  }

  /** This part if it is free, else the next one; undefined: there is none. What was given back last is given out last. */
  take(preferred?: string): string | undefined {
    const [wanted, ...more] = preferred === undefined ? [] : this.#partsOf(preferred);
    if (wanted !== undefined && more.length === 0 && !this.#used.has(wanted) && this.#text(wanted) === preferred) {
      this.#mark(wanted);
      return preferred;
    }
    for (let tries = 0; tries < this.#size; tries++) {
      const at = (this.#next + tries) % this.#size;
      if (this.#used.has(at)) continue;
      this.#mark(at);
      this.#meter?.sought(tries);
      this.#next = (at + 1) % this.#size;
      return this.#text(at);
    }
    return undefined;
  }

  /** Marks all parts that a network touches; one of another family or place touches none. Throws NodeCidrError. */
  occupy(cidr: string): void {
    for (const at of this.#partsOf(cidr)) if (!this.#used.has(at)) this.#mark(at);
  }

  /** Gives back what a network touches. Throws NodeCidrError. */
  release(cidr: string): void {
    for (const at of this.#partsOf(cidr)) if (this.#used.delete(at)) this.#meter?.freed(this.#used.size);
  }

  #mark(at: number): void {
    this.#used.add(at);
    this.#meter?.taken(this.#used.size);
  }

  *#partsOf(cidr: string): Generator<number> {
    const { first, prefix, bits } = parseNetwork(cidr);
    if (bits !== this.#network.bits) return;
    const width = BigInt(bits - this.#mask);
    const from = (first - this.#network.first) >> width;
    const last = first + (1n << BigInt(bits - prefix)) - 1n;
    const to = (last - this.#network.first) >> width;
    const end = to >= BigInt(this.#size) ? this.#size - 1 : Number(to);
    for (let at = from < 0n ? 0 : Number(from); at <= end; at++) yield at;
  }

  #text(at: number): string {
    const { first, bits } = this.#network;
    const address = first + (BigInt(at) << BigInt(bits - this.#mask));
    return `${textOf(address, bits)}/${this.#mask}`;
  }
}

function parseNetwork(cidr: string): Network {
  const found = /^([^/]+)\/(\d{1,3})$/.exec(cidr);
  const bytes = addressBytes(found?.[1] ?? '');
  const prefix = Number(found?.[2]);
  if (bytes === undefined || prefix > bytes.length * 8) throw new NodeCidrError(`${cidr} is no network`);
  const bits = bytes.length * 8;
  const address = bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  const host = BigInt(bits - prefix);
  return { first: (address >> host) << host, prefix, bits };
}

function textOf(address: bigint, bits: number): string {
  const bytes = Uint8Array.from({ length: bits / 8 }, (_, at) =>
    Number((address >> BigInt(bits - 8 * (at + 1))) & 0xffn),
  );
  return addressText(bytes);
}
