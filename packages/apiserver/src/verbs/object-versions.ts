import { schemaName, schemas as builtIn } from '@binnacle/api';
import type { ResourceInfo } from '@binnacle/api';
import { DecodeError, groupVersion, layOver, shapeOfStruct, status } from '@binnacle/machinery';
import type { GroupVersionKind, KubeObject } from '@binnacle/machinery';
import type { AnyCall, ServedResource, VersionDefinition } from '../catalogue/definition.ts';

/** The object of a call in the versions in which its resource is served, for whoever asks in another than the caller. */
export interface ObjectVersions {
  readonly versions: readonly ResourceInfo[];
  inVersion(object: KubeObject, version: ResourceInfo): Promise<KubeObject>;
  rebuild(value: unknown, version: ResourceInfo): Promise<KubeObject>;
  layOver(object: KubeObject, configuration: object, version: ResourceInfo): object;
}

/** Of the resource itself; what a subresource takes (Eviction, Binding, Scale) has one version only. */
export function objectVersions(call: Pick<AnyCall, 'served'>, kind: GroupVersionKind): ObjectVersions {
  const { served } = call;
  if (!isStored(served) || kind.kind !== served.info.kind) return onlyVersion(served.info, kind);
  const { definition } = served.stored;
  const find = (info: ResourceInfo): VersionDefinition | undefined =>
    definition.versions.find((one) => one.info.group === info.group && one.info.version === info.version);
  const isOwn = (info: ResourceInfo): boolean => find(info) === find(served.info);
  return {
    versions: definition.versions.map(({ info }) => info),
    async inVersion(object, info) {
      if (isOwn(info)) return object;
      return convert(find(info), 'toServed', await served.toStored(object));
    },
    async rebuild(value, info) {
      demandKind(value, info);
      const made = decode(() => served.schemas.decode<KubeObject>(info.schema, value).value);
      const own = isOwn(info)
        ? made
        : await convert(find(served.info), 'toServed', await convert(find(info), 'toStored', made));
      if (served.native) served.stored.rules.defaults?.(own);
      return own;
    },
    layOver: (object, configuration, info) =>
      layOver(shapeOfStruct(served.schemas, info.schema), object, configuration) as object,
  };
}

function isStored(served: AnyCall['served']): served is ServedResource {
  return 'stored' in served;
}

function onlyVersion(info: ResourceInfo, kind: GroupVersionKind): ObjectVersions {
  const struct = schemaName(kind.group, kind.version, kind.kind);
  return {
    versions: [info],
    inVersion: (object) => Promise.resolve(object),
    async rebuild(value) {
      demandKind(value, kind);
      return decode(() => builtIn.decode<KubeObject>(struct, value).value);
    },
    layOver: (object, configuration) => layOver(shapeOfStruct(builtIn, struct), object, configuration) as object,
  };
}

async function convert(
  version: VersionDefinition | undefined,
  way: 'toServed' | 'toStored',
  object: KubeObject,
): Promise<KubeObject> {
  if (version?.conversion === undefined)
    return version === undefined ? object : { ...object, apiVersion: groupVersion(version.info) };
  const [made = object] = await version.conversion[way]([object]);
  return made;
}

/** Throws 500 for what calls itself something else: it would be stored, and shown, as what it is not. */
function demandKind(value: unknown, wanted: GroupVersionKind): void {
  const named = (typeof value === 'object' && value !== null ? value : {}) as Partial<KubeObject>;
  const { kind = wanted.kind, apiVersion = groupVersion(wanted) } = named;
  if (kind === wanted.kind && apiVersion === groupVersion(wanted)) return;
  const [asked, made] = [wanted, { kind, apiVersion }].map((one) => JSON.stringify(one.kind));
  throw status.internalError(`a ${asked} cannot become a ${made} of ${JSON.stringify(apiVersion)}`);
}

/** Throws 500 for what is no object of the kind: the caller did not send it. */
function decode(read: () => KubeObject): KubeObject {
  try {
    return read();
  } catch (error) {
    if (error instanceof DecodeError) throw status.internalError(error.message);
    throw error;
  }
}
