import { fnv1a } from '@binnacle/base';

// The alphabet of generated names; see base's random.ts.
const LETTERS = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
/** How many suffixes there are: 27⁵, a power of three. */
const SUFFIXES = 27 ** SUFFIX_LENGTH;
/** Numbers beyond this do not come from us but from a name that somebody else chose. */
const NUMBER_MAX = 1_000_000;
/** As upstream's name generator: the base is cut so that the whole stays a DNS label. */
const BASE_MAX = 63 - SUFFIX_LENGTH;

/**
 * The names of one owner's pods: `<owner>-` and five letters that look like chance but stand for a number. Number n of
 * owner u is always the same name, so that a creation which is repeated (a lost answer, a restarted controller) meets
 * its own pod instead of making a second one. See docs/decisions/0062-idempotent-pod-names.md.
 */
export class PodNames {
  readonly prefix: string;
  readonly #step: number;
  readonly #inverse: number;
  readonly #offset: number;

  constructor(ownerName: string, ownerUid: string) {
    this.prefix = `${ownerName}-`.slice(0, BASE_MAX);
    this.#offset = fnv1a(ownerUid) % SUFFIXES;
    // Not a multiple of three, hence invertible modulo a power of three: each number has its own suffix.
    const step = (fnv1a(ownerUid, 0x9e3779b9) % (SUFFIXES - 2)) + 1;
    this.#step = step % 3 === 0 ? step + 1 : step;
    this.#inverse = inverse(this.#step);
  }

  nameOf(number: number): string {
    let value = Number((BigInt(number) * BigInt(this.#step) + BigInt(this.#offset)) % BigInt(SUFFIXES));
    let suffix = '';
    for (let i = 0; i < SUFFIX_LENGTH; i++) {
      suffix = LETTERS.charAt(value % LETTERS.length) + suffix;
      value = Math.floor(value / LETTERS.length);
    }
    return this.prefix + suffix;
  }

  /** Undefined for a name that is not one of ours. */
  numberOf(name: string): number | undefined {
    if (!name.startsWith(this.prefix) || name.length !== this.prefix.length + SUFFIX_LENGTH) return undefined;
    let value = 0;
    for (const letter of name.slice(this.prefix.length)) {
      const digit = LETTERS.indexOf(letter);
      if (digit === -1) return undefined;
      value = value * LETTERS.length + digit;
    }
    const distance = BigInt(value - this.#offset + SUFFIXES);
    const number = Number((distance * BigInt(this.#inverse)) % BigInt(SUFFIXES));
    return number < NUMBER_MAX ? number : undefined;
  }

  /** The highest number among names, -1 when there is none. */
  highestOf(names: Iterable<string>): number {
    let highest = -1;
    for (const name of names) highest = Math.max(highest, this.numberOf(name) ?? -1);
    return highest;
  }
}

/** The multiplicative inverse modulo SUFFIXES, by Euler: φ(3¹⁵) = 2·3¹⁴. */
function inverse(step: number): number {
  const modulus = BigInt(SUFFIXES);
  let exponent = (modulus / 3n) * 2n - 1n;
  let base = BigInt(step);
  let result = 1n;
  for (; exponent > 0n; exponent >>= 1n) {
    if (exponent & 1n) result = (result * base) % modulus;
    base = (base * base) % modulus;
  }
  return Number(result);
}
