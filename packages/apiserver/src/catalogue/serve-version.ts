import { schemas } from '@binnacle/api';
import type { ResourceInfo } from '@binnacle/api';
import { groupVersion } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import type { Entry } from '../cache/entry.ts';
import { ObjectBytes } from '../encode/object-bytes.ts';
import { conversionOf } from './conversion.ts';
import type { ServedResource, StoredResource } from './resource.ts';

/** One version of a resource as it is served; another version than the stored one is converted on first need. */
export function createServedResource(info: ResourceInfo, stored: StoredResource): ServedResource {
  const native = info.group === stored.info.group && info.version === stored.info.version;
  const conversion = native ? undefined : conversionOf(info);
  const views = new WeakMap<Entry, KubeObject>();
  let emptyStatus: string | undefined;
  return {
    info,
    stored,
    native,
    bytes: native ? stored.bytes : new ObjectBytes(groupVersion(info), info.kind),
    hasStatus: info.subresources.some(({ name }) => name === 'status'),
    emptyStatus() {
      emptyStatus ??= JSON.stringify(
        schemas.decode<{ status?: object }>(info.schema, { metadata: {} }).value.status ?? {},
      );
      return JSON.parse(emptyStatus) as unknown;
    },
    toStored: (object) => conversion?.toStored(object) ?? object,
    view(entry) {
      if (conversion === undefined) return entry.object;
      const known = views.get(entry);
      if (known !== undefined) return known;
      const view = conversion.toServed(entry.object);
      views.set(entry, view);
      return view;
    },
  };
}
