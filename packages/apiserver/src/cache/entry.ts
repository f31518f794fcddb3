import { CatalogueError, messageOf } from '@binnacle/base';
import type { KubeObject } from '@binnacle/machinery';
import type { EntryCodec } from '../storage/codec.ts';

/** What is stored cannot be read as an object of its kind: the server's misfortune, not the caller's. */
export class UnreadableObjectError extends CatalogueError {
  readonly why: string;

  constructor(key: string, why: string, cause?: unknown) {
    super('stored-object-unreadable', `the stored object ${JSON.stringify(key)} cannot be read: ${why}`, {
      facts: { key },
      cause,
    });
    this.why = why;
  }
}

/**
 * One version of one stored object: the store's own bytes, and the object decoded on first need.
 * Both are shared by everybody and never changed (law 6).
 */
export class Entry {
  /** `namespace/name`, or the name of a cluster-scoped object. */
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly revision: number;
  /** As stored: JSON of the storage version without resourceVersion. */
  readonly value: Uint8Array;
  /** Bytes that encodings keep of it (encode/encoding.ts); they go with the entry. */
  kept: Map<string, Uint8Array> | undefined;
  readonly #codec: EntryCodec;
  #object: KubeObject | undefined;

  constructor(at: { key: string; revision: number; value: Uint8Array }, codec: EntryCodec, object?: KubeObject) {
    this.key = at.key;
    const slash = at.key.indexOf('/');
    this.namespace = slash === -1 ? '' : at.key.slice(0, slash);
    this.name = slash === -1 ? at.key : at.key.slice(slash + 1);
    this.revision = at.revision;
    this.value = at.value;
    this.kept = undefined;
    this.#codec = codec;
    this.#object = object;
  }

  /** Throws UnreadableObjectError. */
  get object(): KubeObject {
    this.#object ??= this.#decode();
    return this.#object;
  }

  #decode(): KubeObject {
    try {
      return this.#codec.decode(this.value, this.revision);
    } catch (error) {
      throw new UnreadableObjectError(this.key, messageOf(error), error);
    }
  }
}
