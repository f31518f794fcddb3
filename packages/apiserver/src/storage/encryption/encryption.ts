import { UNSCORED } from '../../ports/encryption-measures.ts';
import type { TransformMeasures } from '../../ports/encryption-measures.ts';
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
  readonly #measures: TransformMeasures;
  #rules: readonly EncryptionRule[];
  readonly #sealsOf = new Map<string, readonly Seal[] | undefined>();
  #onChange: () => void = () => undefined;

  constructor(rules: readonly EncryptionRule[], measures: TransformMeasures = UNSCORED) {
    this.#rules = rules;
    this.#measures = measures;
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
    if (first === undefined) return value;
    const measures = this.#measures;
    const since = measures.now();
    const ended = (failure: object): void =>
      measures.transformed('to_storage', { resource, steps: first.steps, seconds: measures.now() - since, ...failure });
    try {
      const sealed = first.seal(value, key);
      ended({});
      return sealed;
    } catch (error) {
      ended({ error });
      throw error;
    }
  }

  fromStorage(value: Uint8Array, key: string, resource: string): Restored | Promise<Restored> {
    const seals = this.#seals(resource);
    if (seals === undefined) return { value, stale: false };
    const measures = this.#measures;
    const since = measures.now();
    let wasTried = false;
    const tried = (steps: readonly string[], failure: object = {}): void => {
      wasTried = true;
      measures.transformed('from_storage', { resource, steps, seconds: measures.now() - since, ...failure });
    };
    const lost = (): void => void (wasTried || tried(['unknown'], { error: 'no seal fits' }));
    return openBy([...seals.entries()], { value, key, tried, lost }, undefined);
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

interface Opening {
  readonly value: Uint8Array;
  readonly key: string;
  /** Hears of each seal that was tried. */
  readonly tried: (steps: readonly string[], failure?: { readonly error: unknown }) => void;
  /** Hears that none of them opens it. */
  readonly lost: () => void;
}

/** By the first of the seals that opens it. Two keys may have one name, in two providers of one kind: the next is tried. */
function openBy(
  seals: readonly (readonly [place: number, seal: Seal])[],
  of: Opening,
  failure: unknown,
): Restored | Promise<Restored> {
  const at = seals.findIndex(([, { prefix }]) => startsWith(of.value, prefix));
  const [place, seal] = seals[at] ?? [];
  if (seal === undefined || place === undefined) {
    of.lost();
    throw failure instanceof KeyServiceAwayError ? failure : new TransformError('no matching prefix found', failure);
  }
  const sealed = of.value.subarray(seal.prefix.length);
  const inClear = seal.prefix.length === 0;
  const restored = (value: Uint8Array): Restored => {
    of.tried(inClear ? ['identity'] : seal.steps);
    return { value, stale: place > 0 || seal.isStale?.(sealed) === true };
  };
  // That a key service is away counts for more than what the others say.
  const next = (error: unknown): Restored | Promise<Restored> => {
    // That a value is not in the clear is what it should be.
    if (!inClear) of.tried(seal.steps, { error });
    return openBy(seals.slice(at + 1), of, failure instanceof KeyServiceAwayError ? failure : error);
  };
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
