import type { KindRules, ResourceInfo } from '@binnacle/api';
import type { KubeObject } from '@binnacle/machinery';
import type { Entry } from '../cache/entry.ts';
import type { WatchCache } from '../cache/watch-cache.ts';
import type { ObjectBytes } from '../encode/object-bytes.ts';
import type { Strategy } from '../ports/strategy.ts';
import type { Traits } from './traits.ts';

/** One stored resource: what its served versions share. */
export interface StoredResource {
  /** The entry of the resource table whose version is stored. */
  readonly info: ResourceInfo;
  readonly cache: WatchCache;
  readonly rules: KindRules;
  readonly strategy: Strategy;
  readonly traits: Traits;
  readonly bytes: ObjectBytes;
  /** The field that the cache indexes: `spec.nodeName` of pods. */
  readonly indexedField: string | undefined;
}

/** One resource in one served version. */
export interface ServedResource {
  readonly info: ResourceInfo;
  readonly stored: StoredResource;
  readonly bytes: ObjectBytes;
  readonly hasStatus: boolean;
  /** The status of a new object in normal form: what the walker makes of `{}`; undefined where Go leaves it out. */
  emptyStatus(): unknown;
  /** Whether the served version is the stored one, so that nothing is converted. */
  readonly native: boolean;
  /** A new object in the stored version; the argument's parts may be used in it. */
  toStored(object: KubeObject): KubeObject;
  /** The entry's object in the served version; shared, read only. */
  view(entry: Entry): KubeObject;
}
