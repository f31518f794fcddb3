/** Chance as a guest (law 3). */
export interface Random {
  /** A whole number from 0 to 2³²−1. */
  uint32(): number;
  bytes(length: number): Uint8Array;
  /** A version 4 UUID (RFC 9562). */
  uuid(): string;
}

/** A number from 0 (included) to 1 (excluded). */
export function randomFloat(random: Random): number {
  return random.uint32() / 0x1_0000_0000;
}

/** A whole number from 0 (included) to `bound` (excluded). */
export function randomBelow(random: Random, bound: number): number {
  return Math.floor(randomFloat(random) * bound);
}

/** `baseMs` lengthened by up to `factor` of itself, so that many timers do not fire at once. */
export function jitter(random: Random, baseMs: number, factor: number): number {
  return baseMs * (1 + randomFloat(random) * factor);
}

const HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Sixteen random bytes as a version 4 UUID (RFC 9562). */
function uuidOf(b: Uint8Array): string {
  b[6] = ((b[6] ?? 0) & 0x0f) | 0x40;
  b[8] = ((b[8] ?? 0) & 0x3f) | 0x80;
  let hex = '';
  for (let i = 0; i < 16; i++) hex += HEX[b[i] ?? 0];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

// No vowels and no digits that look like letters, so that no suffix reads as a word.
const SUFFIX_LETTERS = 'bcdfghjklmnpqrstvwxz2456789';

/** `length` letters for a generated name, from the alphabet that Kubernetes uses. */
export function nameSuffix(random: Random, length = 5): string {
  let out = '';
  for (let i = 0; i < length; i++) out += SUFFIX_LETTERS[randomBelow(random, SUFFIX_LETTERS.length)];
  return out;
}

/** The same sequence for the same seed (xoshiro128**, seeded by splitmix32). */
export function createSeededRandom(seed: number): Random {
  let mix = seed >>> 0;
  const next = (): number => {
    mix = (mix + 0x9e3779b9) >>> 0;
    let z = mix;
    z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
    return (z ^ (z >>> 16)) >>> 0;
  };
  let [a, b, c, d] = [next(), next(), next(), next()];
  const uint32 = (): number => {
    const x = Math.imul(b, 5);
    const result = Math.imul((x << 7) | (x >>> 25), 9) >>> 0;
    const t = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= t;
    d = (d << 11) | (d >>> 21);
    return result;
  };
  const bytes = (length: number): Uint8Array => {
    const out = new Uint8Array(length);
    for (let i = 0; i < length; i++) out[i] = uint32() & 0xff;
    return out;
  };
  return { uint32, bytes, uuid: () => uuidOf(bytes(16)) };
}
