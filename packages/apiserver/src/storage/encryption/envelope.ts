import { gcm } from '@noble/ciphers/aes.js';
import { expand } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { messageOf, sameBytes, sleep } from '@binnacle/base';
import type { Clock, Random } from '@binnacle/base';
import { UNSCORED } from '../../ports/encryption-measures.ts';
import type { KeyMeasures } from '../../ports/encryption-measures.ts';
import type { KeyService, SealedKey } from '../../ports/key-service.ts';
import { KeyServiceAwayError, TransformError } from './errors.ts';
import type { Seal } from './providers.ts';
import { checkKeyId, checkSealedKey, decodeSealedObject, encodeSealedObject } from './sealed-object.ts';
import type { KeySource } from './sealed-object.ts';

const PREFIX = 'k8s:enc:kms:v2:';
/** Without a good word of the service, what it sealed last writes no longer than this (upstream's). */
const WRITES_MS_MAX = 180_000;
const SEED_BYTES = 32;
const INFO_BYTES = 32;
const NONCE_BYTES = 12;
const KEY_BYTES = 32;
/** What may come back: a seed of this server's or upstream's, or a key of AES. */
const SECRET_BYTES: ReadonlySet<number> = new Set([16, 24, 32]);
/** Keys that are remembered unsealed: as many as the service has had keys, times the servers and their starts. */
const KEYS_MAX = 1000;
/** A service that is away for a moment must not make a stored object look damaged. */
const TRIES = 5;
const AGAIN_MS = 500;
const VERSIONS: ReadonlySet<string> = new Set(['v2', 'v2beta1']);
const text = new TextEncoder();

export interface EnvelopeWorld {
  readonly clock: Clock;
  readonly random: Random;
  /** Absent: nobody keeps score. */
  readonly measures?: KeyMeasures;
}

/** What writes at the moment. */
interface Writing {
  readonly seed: Uint8Array;
  readonly key: SealedKey;
  /** By the clock, milliseconds. */
  readonly until: number;
}

/**
 * Objects sealed with keys that a key service seals in turn (KMS v2), in the form that upstream writes: a seed lasts until the
 * service changes its key, and each object's own key is derived from it. `probe` is to be called now and then: it asks
 * the service how it is, and makes a new seed when the key has changed.
 */
export class Envelope implements Seal {
  readonly prefix: Uint8Array;
  readonly steps: readonly string[];
  readonly name: string;
  readonly #measures: KeyMeasures;
  readonly #service: KeyService;
  readonly #world: EnvelopeWorld;
  readonly #unsealed = new Map<string, Promise<Uint8Array>>();
  #writing: Writing | undefined;
  #version: string | undefined;

  constructor(name: string, service: KeyService, world: EnvelopeWorld) {
    this.name = name;
    this.steps = [`${PREFIX}${name}:`];
    this.prefix = text.encode(this.steps.join(''));
    this.#measures = world.measures ?? UNSCORED;
    this.#service = service;
    this.#world = world;
  }

  /** Asks the service how it is; a changed key is taken up. Rejects with what is wrong: what was goes on for a while. */
  async probe(): Promise<void> {
    const until = this.#world.clock.monotonic() + WRITES_MS_MAX;
    const { healthz, version, keyId } = await this.#service.status();
    if (healthz !== 'ok') throw this.#unwell(`got unexpected healthz status: ${healthz}`);
    if (!VERSIONS.has(version)) throw this.#unwell(`expected KMSv2 API version v2, got ${version}`);
    this.#version ??= version;
    if (this.#version !== version)
      throw this.#unwell(
        `KMSv2 API version should not change after the initial status response version ${this.#version}, got ${version}`,
      );
    this.#hearKey(keyId);
    if (this.#writing?.key.keyId === keyId) {
      this.#writing = { ...this.#writing, until };
      return;
    }
    const since = this.#measures.now();
    const seed = this.#world.random.bytes(SEED_BYTES);
    this.#measures.seedMade(this.#measures.now() - since);
    const key = await this.#service.encrypt(this.#world.random.uuid(), seed);
    checkSealedKey(key);
    if (key.keyId !== keyId) throw this.#unwell('it sealed with another key than it had told');
    // What it cannot give back would be lost with this process.
    const back = await this.#service.decrypt(this.#world.random.uuid(), key);
    if (!sameBytes(back, seed)) throw this.#unwell('it does not give back what it sealed');
    this.#writing = { seed, key, until };
    this.#remember(nameOf(key, 'seed'), Promise.resolve(seed));
  }

  /** Throws TransformError for a name that is none. */
  #hearKey(keyId: string): void {
    try {
      checkKeyId(keyId);
    } catch (error) {
      this.#measures.badKeyTold(this.name, keyId === '' ? 'empty' : 'too_long');
      throw error;
    }
    this.#measures.keyTold(this.name, keyId);
  }

  seal(value: Uint8Array, storeKey: string): Uint8Array {
    const writing = this.#writing;
    if (writing === undefined) throw this.#unwell('it has not answered yet');
    if (this.#world.clock.monotonic() > writing.until) throw this.#unwell('its last good word is too long ago');
    const info = this.#world.random.bytes(INFO_BYTES);
    const nonce = this.#world.random.bytes(NONCE_BYTES);
    const sealed = gcm(derived(writing.seed, info), nonce, text.encode(storeKey)).encrypt(value);
    const data = new Uint8Array(INFO_BYTES + NONCE_BYTES + sealed.length);
    data.set(info);
    data.set(nonce, INFO_BYTES);
    data.set(sealed, INFO_BYTES + NONCE_BYTES);
    const rest = encodeSealedObject({ data, key: writing.key, source: 'seed' });
    const whole = new Uint8Array(this.prefix.length + rest.length);
    whole.set(this.prefix);
    whole.set(rest, this.prefix.length);
    this.#measures.keyUsed('to_storage', this.name, writing.key.keyId);
    return whole;
  }

  async open(sealed: Uint8Array, storeKey: string): Promise<Uint8Array> {
    const { data, key, source } = decodeSealedObject(sealed);
    const unsealed = await this.#unseal(key, source);
    this.#measures.keyUsed('from_storage', this.name, key.keyId);
    const infoBytes = source === 'seed' ? INFO_BYTES : 0;
    if (data.length < infoBytes + NONCE_BYTES)
      throw new TransformError('the stored data was shorter than the required size');
    const own = source === 'seed' ? derived(unsealed, data.subarray(0, infoBytes)) : unsealed;
    const nonce = data.subarray(infoBytes, infoBytes + NONCE_BYTES);
    try {
      return gcm(own, nonce, text.encode(storeKey)).decrypt(data.subarray(infoBytes + NONCE_BYTES));
    } catch (error) {
      // The answer may have been the wrong one: the next asks anew.
      this.#unsealed.delete(nameOf(key, source));
      throw new TransformError(`kms: the stored data does not open with key service ${this.name}`, error);
    }
  }

  /** Whether it was sealed under a key that the service has changed since. */
  isStale(sealed: Uint8Array): boolean {
    const { key, source } = decodeSealedObject(sealed);
    return source !== 'seed' || key.keyId !== this.#writing?.key.keyId;
  }

  current(): object | undefined {
    return this.#writing?.key;
  }

  #unseal(key: SealedKey, source: KeySource): Promise<Uint8Array> {
    const name = nameOf(key, source);
    const known = this.#unsealed.get(name);
    if (known !== undefined) return known;
    this.#measures.notRemembered();
    const asking = this.#ask(key);
    this.#remember(name, asking);
    // What failed is asked anew by the next.
    asking.catch(() => this.#unsealed.delete(name));
    return asking;
  }

  async #ask(key: SealedKey): Promise<Uint8Array> {
    const uid = this.#world.random.uuid();
    for (let tried = 1; ; tried++) {
      try {
        const unsealed = await this.#service.decrypt(uid, key);
        if (SECRET_BYTES.has(unsealed.length)) return unsealed;
        throw new TransformError(`the answer has ${unsealed.length} bytes, which is no key`);
      } catch (error) {
        if (isRefusal(error)) throw new TransformError(`failed to decrypt DEK, error: ${messageOf(error)}`, error);
        if (tried === TRIES) throw new KeyServiceAwayError(this.name, error);
      }
      await sleep(this.#world.clock, AGAIN_MS * tried);
    }
  }

  #remember(name: string, unsealed: Promise<Uint8Array>): void {
    this.#unsealed.set(name, unsealed);
    const [oldest] = this.#unsealed.keys();
    if (this.#unsealed.size > KEYS_MAX && oldest !== undefined) this.#unsealed.delete(oldest);
    this.#measures.remembered(this.name, this.#unsealed.size);
  }

  #unwell(why: string): TransformError {
    return new TransformError(`kmsv2 Provider ${this.name} is not healthy, error: ${why}`);
  }
}

/** gRPC's numbers of a service that is there and does not know the key, or what it was given: asking again is no use. */
const REFUSALS: ReadonlySet<unknown> = new Set([3, 5]);

function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error && REFUSALS.has(error.code);
}

/** HKDF's second half (RFC 5869, 2.3): the seed is strong already. */
function derived(seed: Uint8Array, info: Uint8Array): Uint8Array {
  return expand(sha256, seed, info, KEY_BYTES);
}

/** Everything that the service needs to unseal it; one of a kind for each sealed key. */
function nameOf({ ciphertext, keyId, annotations }: SealedKey, source: KeySource): string {
  const names = [...annotations.keys()].sort();
  const told = names.map((name) => [name, [...(annotations.get(name) ?? [])].join()]);
  return JSON.stringify([source, keyId, [...ciphertext].join(), told]);
}
