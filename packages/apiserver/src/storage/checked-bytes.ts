import type { ResourceInfo } from '@binnacle/api';
import { groupVersion } from '@binnacle/machinery';
import { asDraft } from './draft.ts';
import { ObjectBytes } from './object-bytes.ts';
import type { StoredObject, Wrap } from './object-bytes.ts';
import { encodeWrapped } from './object-bytes.ts';

/**
 * Bytes of a kind whose schema may have changed since they were stored: pruned and defaulted by today's schema the
 * object may be another one. Each stored version is compared once; where it is the same, its bytes go out as they are.
 */
export class CheckedBytes extends ObjectBytes {
  readonly #faithful = new WeakMap<StoredObject, boolean>();

  constructor(info: ResourceInfo) {
    super(groupVersion(info), info.kind);
  }

  override served(entry: StoredObject, revision: number, wrap: Wrap): Uint8Array {
    return this.#isFaithful(entry) ? super.served(entry, revision, wrap) : encodeWrapped(entry.object, revision, wrap);
  }

  override item(entry: StoredObject, wrap: Wrap): Uint8Array {
    if (this.#isFaithful(entry)) return super.item(entry, wrap);
    const { kind: _kind, apiVersion: _apiVersion, ...item } = entry.object;
    return encodeWrapped(item, entry.revision, wrap);
  }

  #isFaithful(entry: StoredObject): boolean {
    let faithful = this.#faithful.get(entry);
    if (faithful === undefined) {
      const { object } = entry;
      const bytes = this.encode(
        asDraft({ ...object, metadata: { ...object.metadata, resourceVersion: undefined } } as never),
      );
      faithful = bytes.length === entry.value.length && bytes.every((byte, i) => byte === entry.value[i]);
      this.#faithful.set(entry, faithful);
    }
    return faithful;
  }
}
