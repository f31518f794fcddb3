import { kindRules } from '@binnacle/api';
import type { ResourceInfo } from '@binnacle/api';
import { groupVersion } from '@binnacle/machinery';
import type { Store } from '@binnacle/store';
import { REGISTRY } from '../cache/feed.ts';
import { WatchCache } from '../cache/watch-cache.ts';
import { ObjectBytes } from '../encode/object-bytes.ts';
import type { StoredResource } from './resource.ts';
import { createStoredCodec } from '../storage/codec.ts';
import { STRATEGIES } from '../kinds/strategies.ts';
import { traitsOf } from './traits.ts';

export interface StoringOptions {
  readonly store: Store;
  readonly assertions: boolean;
}

/** Everything about how one resource is kept, from its entry of the resource table (that of the stored version). */
export function createStoredResource(info: ResourceInfo, { store, assertions }: StoringOptions): StoredResource {
  const rules = kindRules(info.group, info.kind);
  const name = info.group === '' ? info.resource : `${info.resource}.${info.group}`;
  const indexedField = name === 'pods' ? 'spec.nodeName' : undefined;
  const indexed = indexedField === undefined ? undefined : rules.fields?.[indexedField];
  const codec = createStoredCodec(info, rules, assertions);
  const prefix = `${REGISTRY}${info.storagePrefix}/`;
  return {
    info,
    rules,
    indexedField: indexed === undefined ? undefined : indexedField,
    cache: new WatchCache({ store, prefix, codec, ...(indexed === undefined ? {} : { indexed }) }),
    strategy: { ...STRATEGIES[name] },
    traits: traitsOf(info),
    bytes: new ObjectBytes(groupVersion(info), info.kind),
  };
}
