import { cbc, gcm } from '@noble/ciphers/aes.js';
import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js';
import type { Random } from '@binnacle/base';
import { TransformError } from './errors.ts';

const PREFIX = 'k8s:enc:';
const COLON = 0x3a;
const text = new TextEncoder();

/** How values are sealed with one key; the forms are upstream's, so that several servers can share a store. */
export interface Seal {
  /** What its values begin with: `k8s:enc:aesgcm:v1:key1:`; empty for values in the clear. */
  readonly prefix: Uint8Array;
  /** What figures call it: a provider, and the key of it (`k8s:enc:aesgcm:v1:`, `key1:`). */
  readonly steps: readonly string[];
  seal(value: Uint8Array, storeKey: string): Uint8Array;
  /** Without the prefix. Throws TransformError, or rejects with it where others have to be asked. */
  open(sealed: Uint8Array, storeKey: string): Uint8Array | Promise<Uint8Array>;
  /** Whether it should be sealed anew, though this seal still writes; without the prefix. Absent: never. */
  isStale?(sealed: Uint8Array): boolean;
  /** The key that writes at the moment, where it may become another one. Absent: always the same. */
  current?(): object | undefined;
}

/** The ciphers, and the sizes in bytes of their keys. */
export const KEY_BYTES = { aesgcm: [16, 24, 32], aescbc: [16, 24, 32], secretbox: [32] } as const;

export type Cipher = keyof typeof KEY_BYTES;

/** A key of a provider. */
export interface NamedKey {
  readonly name: string;
  readonly secret: Uint8Array;
}

/** Values in the clear; those that another provider sealed are not. */
export const IDENTITY: Seal = {
  prefix: new Uint8Array(0),
  steps: [''],
  seal: (value) => value,
  open(value) {
    if (startsWith(value, text.encode(PREFIX)))
      throw new TransformError('identity transformer tried to read encrypted data');
    return value;
  },
};

/** One key of one provider. */
export function sealOf(cipher: Cipher, { name, secret }: NamedKey, random: Random): Seal {
  const steps = [`${PREFIX}${cipher}:v1:`, `${name}:`];
  const prefix = text.encode(steps.join(''));
  const { nonceBytes, make } = FORMS[cipher];
  return {
    prefix,
    steps,
    seal(value, storeKey) {
      const nonce = random.bytes(nonceBytes);
      return join([prefix, nonce, make(secret, nonce, storeKey).encrypt(value)]);
    },
    open(sealed, storeKey) {
      if (sealed.length < nonceBytes) throw new TransformError('the stored data was shorter than the required size');
      try {
        const nonce = sealed.subarray(0, nonceBytes);
        return make(secret, nonce, storeKey).decrypt(sealed.subarray(nonceBytes));
      } catch (error) {
        throw new TransformError(`${cipher}: the stored data does not open with key ${name}`, error);
      }
    },
  };
}

/** Whether a value begins with this prefix. */
export function startsWith(value: Uint8Array, prefix: Uint8Array): boolean {
  if (value.length < prefix.length) return false;
  // From the end: prefixes begin alike and differ in their last bytes.
  for (let i = prefix.length - 1; i >= 0; i--) if (value[i] !== prefix[i]) return false;
  return prefix.length === 0 || prefix[prefix.length - 1] === COLON;
}

interface Opener {
  encrypt(value: Uint8Array): Uint8Array;
  decrypt(sealed: Uint8Array): Uint8Array;
}

type Make = (secret: Uint8Array, nonce: Uint8Array, storeKey: string) => Opener;

const FORMS: { readonly [cipher in Cipher]: { readonly nonceBytes: number; readonly make: Make } } = {
  // A value moved to another key of the store does not open.
  aesgcm: { nonceBytes: 12, make: (secret, nonce, storeKey) => gcm(secret, nonce, text.encode(storeKey)) },
  aescbc: { nonceBytes: 16, make: (secret, nonce) => cbc(secret, nonce) },
  secretbox: { nonceBytes: 24, make: (secret, nonce) => xsalsa20poly1305(secret, nonce) },
};

function join(parts: readonly Uint8Array[]): Uint8Array {
  const made = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    made.set(part, at);
    at += part.length;
  }
  return made;
}
