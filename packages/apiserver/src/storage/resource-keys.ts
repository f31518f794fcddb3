import type { ResourceInfo } from '@binnacle/api';
import { REGISTRY } from './keys.ts';

/** What is served now, and which now that is. */
export interface Served {
  readonly generation: number;
  readonly infos: readonly ResourceInfo[];
}

/** Which resource's objects lie under a key of the store. */
export class ResourceKeys {
  readonly #served: () => Served;
  #generation = -1;
  #byPrefix = new Map<string, string>();

  constructor(served: () => Served) {
    this.#served = served;
  }

  /** `secrets`, `deployments.apps`; undefined for what is no object. */
  resourceOf(key: string): string | undefined {
    if (!key.startsWith(REGISTRY)) return undefined;
    const served = this.#served();
    if (this.#generation !== served.generation) this.#build(served);
    const first = key.indexOf('/', REGISTRY.length);
    const known = this.#byPrefix.get(key.slice(REGISTRY.length, first));
    if (known !== undefined) return known;
    // Some resources share a folder: `services/specs`, `example.org/boats`.
    const second = key.indexOf('/', first + 1);
    return first === -1 || second === -1 ? undefined : this.#byPrefix.get(key.slice(REGISTRY.length, second));
  }

  #build(served: Served): void {
    this.#generation = served.generation;
    this.#byPrefix = new Map();
    for (const { storagePrefix, resource, storage } of served.infos) {
      if (storagePrefix !== '')
        this.#byPrefix.set(storagePrefix, storage.group === '' ? resource : `${resource}.${storage.group}`);
    }
  }
}
