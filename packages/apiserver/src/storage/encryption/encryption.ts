import type { Restored, Transformer } from '../../ports/transformer.ts';
import type { EncryptionRule } from './config.ts';
import { TransformError } from './errors.ts';
import { startsWith } from './providers.ts';
import type { Seal } from './providers.ts';

/**
 * Encryption at rest by rules (API reference, "Encrypting Confidential Data at Rest"): the first seal of the first
 * rule that names a resource writes, all seals of it read. Rules may be replaced while the server runs.
 */
export class Encryption implements Transformer {
  #rules: readonly EncryptionRule[];
  readonly #sealsOf = new Map<string, readonly Seal[] | undefined>();

  constructor(rules: readonly EncryptionRule[]) {
    this.#rules = rules;
  }

  /** From now on; what rests sealed with keys that are gone cannot be read any more. */
  replace(rules: readonly EncryptionRule[]): void {
    this.#rules = rules;
    this.#sealsOf.clear();
  }

  covers(resource: string): boolean {
    return this.#seals(resource) !== undefined;
  }

  toStorage(value: Uint8Array, key: string, resource: string): Uint8Array {
    const [first] = this.#seals(resource) ?? [];
    return first === undefined ? value : first.seal(value, key);
  }

  fromStorage(value: Uint8Array, key: string, resource: string): Restored {
    const seals = this.#seals(resource);
    if (seals === undefined) return { value, stale: false };
    let failure: unknown;
    for (const [place, seal] of seals.entries()) {
      if (!startsWith(value, seal.prefix)) continue;
      try {
        return { value: seal.open(value.subarray(seal.prefix.length), key), stale: place > 0 };
      } catch (error) {
        // Two keys may have one name, in two providers of one kind: the next is tried.
        failure = error;
      }
    }
    throw new TransformError('no matching prefix found', failure);
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

/** Whether a rule's name means this resource. */
function names(rule: string, resource: string): boolean {
  if (rule === '*.*' || rule === resource) return true;
  const dot = resource.indexOf('.');
  return rule === (dot === -1 ? '*.' : `*.${resource.slice(dot + 1)}`);
}
