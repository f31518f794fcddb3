import type { Restored, Transformer } from '../../ports/transformer.ts';
import type { EncryptionRule } from './config.ts';
import { KeyServiceAwayError, TransformError } from './errors.ts';
import { startsWith } from './providers.ts';
import type { Seal } from './providers.ts';

/**
 * Encryption at rest by rules (API reference, "Encrypting Confidential Data at Rest"): the first seal of the first
 * rule that names a resource writes, all seals of it read. Rules may be replaced while the server runs.
 */
export class Encryption implements Transformer {
  #rules: readonly EncryptionRule[];
  readonly #sealsOf = new Map<string, readonly Seal[] | undefined>();
  #onChange: () => void = () => undefined;

  constructor(rules: readonly EncryptionRule[]) {
    this.#rules = rules;
  }

  /** From now on; what rests sealed with keys that are gone cannot be read any more. */
  replace(rules: readonly EncryptionRule[]): void {
    this.#rules = rules;
    this.#sealsOf.clear();
    this.#onChange();
  }

  follow(onChange: () => void): void {
    this.#onChange = onChange;
  }

  formOf(resource: string): object | undefined {
    const [first] = this.#seals(resource) ?? [];
    return first?.current?.() ?? first;
  }

  covers(resource: string): boolean {
    return this.#seals(resource) !== undefined;
  }

  toStorage(value: Uint8Array, key: string, resource: string): Uint8Array {
    const [first] = this.#seals(resource) ?? [];
    return first === undefined ? value : first.seal(value, key);
  }

  fromStorage(value: Uint8Array, key: string, resource: string): Restored | Promise<Restored> {
    const seals = this.#seals(resource);
    if (seals === undefined) return { value, stale: false };
    return openBy([...seals.entries()], { value, key }, undefined);
  }

  #seals(resource: string): readonly Seal[] | undefined {
    if (!this.#sealsOf.has(resource)) {
      this.#sealsOf.set(
        resource,
        this.#rules.find(({ resources }) => resources.some((name) => names(name, resource)))?.seals,
      );
    }
    return this.#sealsOf.get(resource);
  }
}

/** By the first of the seals that opens it. Two keys may have one name, in two providers of one kind: the next is tried. */
function openBy(
  seals: readonly (readonly [place: number, seal: Seal])[],
  of: { readonly value: Uint8Array; readonly key: string },
  failure: unknown,
): Restored | Promise<Restored> {
  const at = seals.findIndex(([, { prefix }]) => startsWith(of.value, prefix));
  const [place, seal] = seals[at] ?? [];
  if (seal === undefined || place === undefined) {
    throw failure instanceof KeyServiceAwayError ? failure : new TransformError('no matching prefix found', failure);
  }
  const sealed = of.value.subarray(seal.prefix.length);
  const restored = (value: Uint8Array): Restored => ({ value, stale: place > 0 || seal.isStale?.(sealed) === true });
  // That a key service is away counts for more than what the others say.
  const next = (error: unknown): Restored | Promise<Restored> =>
    openBy(seals.slice(at + 1), of, failure instanceof KeyServiceAwayError ? failure : error);
  try {
    const opened = seal.open(sealed, of.key);
    return opened instanceof Promise ? opened.then(restored, next) : restored(opened);
  } catch (error) {
    return next(error);
  }
}

/** Whether a rule's name means this resource. */
function names(rule: string, resource: string): boolean {
  if (rule === '*.*' || rule === resource) return true;
  const dot = resource.indexOf('.');
  return rule === (dot === -1 ? '*.' : `*.${resource.slice(dot + 1)}`);
}
