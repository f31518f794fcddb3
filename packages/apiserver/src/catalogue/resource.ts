import type { ResourceInfo } from '@binnacle/api';
import { assert } from '@binnacle/base';
import type { Logger } from '@binnacle/base';
import { groupVersion, keptEmpties } from '@binnacle/machinery';
import type { KubeObject, SchemaLayers, SchemaRegistry } from '@binnacle/machinery';
import type { Store } from '@binnacle/store';
import type { Entry } from '../cache/entry.ts';
import { WatchCache } from '../cache/watch-cache.ts';
import type { Conversion } from '../ports/conversion.ts';
import { createStoredCodec } from '../storage/codec.ts';
import { REGISTRY } from '../storage/keys.ts';
import { CheckedBytes } from '../storage/checked-bytes.ts';
import { ObjectBytes } from '../storage/object-bytes.ts';
import type { ServedResource, StoredDefinition, StoredResource, VersionDefinition } from './definition.ts';

/** What resources are made with. */
export interface ResourceWorld {
  readonly store: Store;
  readonly schemas: SchemaLayers;
  /** Hears of stored objects that cannot be read. */
  readonly log?: Logger;
  /** Freezes cached objects. */
  readonly assertions: boolean;
}

/** Puts a definition's storage to work; its cache is not started. */
export function createStoredResource(definition: StoredDefinition, world: ResourceWorld): StoredResource {
  const { storage: info, rules, strategy, traits, indexedField, storedVersions } = definition;
  const indexed = indexedField === undefined ? undefined : rules.fields?.[indexedField];
  assert((indexed === undefined) === (indexedField === undefined), 'the indexed field is one that can be selected by', {
    resource: definition.name,
  });
  const versions = storedVersions ?? [];
  const codec = createStoredCodec({ info, rules, versions, ...world, schemas: world.schemas.of(info.schema) });
  const prefix = `${REGISTRY}${info.storagePrefix}/`;
  const { store, log } = world;
  const onUnreadable = (key: string, why: string): void =>
    log?.warn('A stored object cannot be read, and is left out', { key, reason: why });
  return {
    definition,
    info,
    rules,
    strategy,
    traits,
    indexedField,
    kept: keeping(definition, info, world.schemas.of(info.schema)),
    cache: new WatchCache({ store, prefix, codec, onUnreadable, ...(indexed === undefined ? {} : { indexed }) }),
    bytes: definition.mutableSchema === true ? new CheckedBytes(info) : new ObjectBytes(groupVersion(info), info.kind),
  };
}

/** One version of a resource as it is served; another version than the stored one is converted on first need. */
export function createServedResource(
  version: VersionDefinition,
  stored: StoredResource,
  layers: SchemaLayers,
): ServedResource {
  const { info } = version;
  const schemas = layers.of(info.schema);
  const { rules } = stored;
  const isStored = info.group === stored.info.group && info.version === stored.info.version;
  const native = isStored && version.conversion === undefined;
  let emptyStatus: string | undefined;
  return {
    info,
    stored,
    native,
    schemas,
    bytes: native ? stored.bytes : new ObjectBytes(groupVersion(info), info.kind),
    columns: version.columns,
    fields: version.fields ?? rules.fields,
    selectsViews: version.selectsViews === true,
    subresources: version.subresources,
    validation: { group: info.group, kind: info.kind, namespaced: info.namespaced, rules: version.rules ?? rules },
    ownRules: version.rules,
    warning: version.warning,
    answeredVerbs: version.answeredVerbs ?? info.verbs,
    isCustom: version.isCustom === true,
    hasStatus: info.subresources.some(({ name }) => name === 'status'),
    emptyStatus() {
      emptyStatus ??= JSON.stringify(
        schemas.decode<{ status?: object }>(info.schema, { metadata: {} }).value.status ?? {},
      );
      return JSON.parse(emptyStatus) as unknown;
    },
    kept: native ? stored.kept : keeping(stored.definition, info, schemas),
    ...(native ? NATIVE : converted(version.conversion ?? renamed(info, stored.info))),
  };
}

const keepsAll = <T extends object>(object: T): T => object;

function keeping(definition: StoredDefinition, info: ResourceInfo, schemas: SchemaRegistry): StoredResource['kept'] {
  return definition.forgetsEmpties === true ? keptEmpties(schemas, info.schema) : keepsAll;
}

type Views = Pick<ServedResource, 'toStored' | 'prepare' | 'view'>;

const NATIVE: Views = {
  toStored: (object) => object,
  prepare: () => undefined,
  view: (entry) => entry.object,
};

/** Views through a conversion, made once per entry. */
function converted(conversion: Conversion): Views {
  const views = new WeakMap<Entry, KubeObject>();
  const keep = (entries: readonly Entry[], objects: readonly KubeObject[]): void =>
    entries.forEach((entry, i) => {
      const object = objects[i];
      assert(object !== undefined, 'a conversion answers with as many objects as it was given');
      views.set(entry, object);
    });
  // By entry: what many watchers are about to show is converted once.
  const underWay = new WeakMap<Entry, Promise<void>>();
  const prepare = (entries: readonly Entry[]): Promise<void> | undefined => {
    const missing = entries.filter((entry) => !views.has(entry));
    if (missing.length === 0) return undefined;
    const waiting = new Set(missing.flatMap((entry) => underWay.get(entry) ?? []));
    const fresh = missing.filter((entry) => !underWay.has(entry));
    const made = fresh.length === 0 ? undefined : conversion.toServed(fresh.map((entry) => entry.object));
    if (made instanceof Promise) {
      const keeping = made
        .then((objects) => keep(fresh, objects))
        .finally(() => fresh.forEach((one) => underWay.delete(one)));
      for (const entry of fresh) underWay.set(entry, keeping);
      if (waiting.size === 0) return keeping;
      waiting.add(keeping);
    } else if (made !== undefined) {
      keep(fresh, made);
    }
    if (waiting.size === 0) return undefined;
    // What others asked for may have failed by an entry that is none of ours: what is still missing is asked for again.
    return Promise.allSettled(waiting).then(() => prepare(entries));
  };
  return {
    prepare,
    toStored(object) {
      const made = conversion.toStored([object]);
      return made instanceof Promise ? made.then(only) : only(made);
    },
    view(entry) {
      const known = views.get(entry);
      if (known !== undefined) return known;
      const waiting = prepare([entry]);
      const made = views.get(entry);
      assert(waiting === undefined && made !== undefined, 'what takes time to convert is prepared before it is shown');
      return made;
    },
  };
}

function only(objects: readonly KubeObject[]): KubeObject {
  const [object] = objects;
  assert(object !== undefined, 'a conversion answers with as many objects as it was given');
  return object;
}

/** Versions that differ in nothing but the name. */
function renamed(served: ResourceInfo, stored: ResourceInfo): Conversion {
  const as = (info: ResourceInfo) => (object: KubeObject) => ({
    ...object,
    apiVersion: groupVersion(info),
    metadata: { ...object.metadata },
  });
  return { toStored: (objects) => objects.map(as(stored)), toServed: (objects) => objects.map(as(served)) };
}
