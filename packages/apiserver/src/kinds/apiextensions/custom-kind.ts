/** From a definition of a custom kind, as clients write it, to one of the catalogue. */
import { sha256 } from '@noble/hashes/sha2.js';
import type { KindRules, ResourceInfo, SubresourceInfo } from '@binnacle/api';
import { isConditionTrue } from '@binnacle/api';
import type {
  CustomResourceConversion,
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionVersion,
} from '@binnacle/api/apiextensions/v1';
import { groupVersion } from '@binnacle/machinery';
import type { KubeObject, SchemaRegistry, SchemaTable, StructSchema } from '@binnacle/machinery';
import type { StoredDefinition, SubresourceDefinition, VersionDefinition } from '../../catalogue/definition.ts';
import { PLAIN_TRAITS } from '../../catalogue/traits.ts';
import type { Conversion } from '../../ports/conversion.ts';
import type { Changer } from '../../verbs/change.ts';
import type { FieldOwnership } from '../../verbs/field-ownership.ts';
import { createScale } from '../../verbs/scale.ts';
import { customPrinter } from './columns.ts';
import { customRules, customStrategy, schemaOf } from './custom-rules.ts';
import type { CompileRules } from './custom-rules.ts';
import { scaleByPaths } from './scale-paths.ts';
import { webhookConversion } from './webhook-conversion.ts';
import type { ConversionHookWorld } from './webhook-conversion.ts';

export interface CustomKindWorld extends ConversionHookWorld {
  readonly changer: Changer;
  readonly ownership: FieldOwnership;
  /** Has the struct of Scale, and those of custom kinds that are served. */
  readonly schemas: SchemaRegistry;
  /** Compiles rules in CEL; absent where no version of the kind has any. */
  readonly compileRules?: CompileRules;
  /** `status`, as all kinds have it. */
  readonly status: SubresourceDefinition;
}

const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
/** While a kind is being deleted: no new objects; those that are there may be let go of. */
const LAST_ANSWERS = VERBS.filter((verb) => verb !== 'create');
const LAST_VERBS = ['delete', 'deletecollection', 'get', 'list', 'watch'];
const PART_VERBS = ['get', 'patch', 'update'];

/** The definition under the names that were accepted; undefined where no version is served. */
export function customDefinition(
  definition: CustomResourceDefinition,
  names: CustomResourceDefinitionNames,
  world: CustomKindWorld,
): StoredDefinition | undefined {
  const { spec } = definition;
  const storage = spec.versions.find((version) => version.storage);
  const served = spec.versions.filter((version) => version.served);
  if (storage === undefined || served.length === 0) return undefined;
  const infoOf = (version: CustomResourceDefinitionVersion): ResourceInfo =>
    resourceInfo({ definition, names, storage }, version);
  const hasStatus = new Map(
    spec.versions.map((version) => [`${spec.group}/${version.name}`, version.subresources?.status !== undefined]),
  );
  return {
    kind: 'stored',
    name: `${names.plural}.${spec.group}`,
    storage: infoOf(storage),
    versions: served.map((version) =>
      servedVersion(version, { info: infoOf(version), stored: infoOf(storage), world, definition }),
    ),
    structs: structsOf(spec.versions, infoOf),
    // By a webhook versions differ in more than their name: what was stored in one is read as that one.
    ...(webhookOf(spec) === undefined
      ? {}
      : {
          storedVersions: spec.versions.map((version) => ({
            info: infoOf(version),
            rules: customRules(version, world.compileRules),
          })),
        }),
    rules: customRules(storage, world.compileRules),
    strategy: customStrategy(hasStatus),
    traits: { ...PLAIN_TRAITS, generation: true, unconditionalUpdate: false },
    mutableSchema: true,
  };
}

interface Naming {
  readonly definition: CustomResourceDefinition;
  readonly names: CustomResourceDefinitionNames;
  readonly storage: CustomResourceDefinitionVersion;
}

function resourceInfo({ definition, names, storage }: Naming, version: CustomResourceDefinitionVersion): ResourceInfo {
  const { spec, status } = definition;
  const { group } = spec;
  const { plural, kind } = names;
  const isEnding = isConditionTrue(status?.conditions, 'Terminating');
  return {
    group,
    version: version.name,
    resource: plural,
    singular: names.singular ?? '',
    kind,
    listKind: names.listKind ?? `${kind}List`,
    namespaced: spec.scope === 'Namespaced',
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    verbs: isEnding ? LAST_VERBS : VERBS,
    subresources: subresourceInfos(version, kind),
    schema: structName(group, version.name, kind),
    virtual: false,
    storagePrefix: `${group}/${plural}`,
    storage: { group, version: storage.name, kind },
    ...(storage.served ? { storageVersionHash: storageHash(`${group}/${storage.name}/${spec.names.kind}`) } : {}),
  };
}

/** What tells clients that objects are stored in another form than before. */
function storageHash(stored: string): string {
  return btoa(String.fromCharCode(...sha256(new TextEncoder().encode(stored)).subarray(0, 8)));
}

/** Names of structs of custom kinds have the whole group, with a slash that no built-in one has. */
function structName(group: string, version: string, kind: string): string {
  return `${group}/${version}.${kind}`;
}

function subresourceInfos({ subresources }: CustomResourceDefinitionVersion, kind: string): SubresourceInfo[] {
  return [
    ...(subresources?.status === undefined ? [] : [{ name: 'status', kind, verbs: PART_VERBS }]),
    ...(subresources?.scale === undefined
      ? []
      : [{ name: 'scale', kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: PART_VERBS }]),
  ];
}

interface Serving {
  readonly info: ResourceInfo;
  readonly stored: ResourceInfo;
  readonly world: CustomKindWorld;
  readonly definition: CustomResourceDefinition;
}

function servedVersion(version: CustomResourceDefinitionVersion, serving: Serving): VersionDefinition {
  const { info, world } = serving;
  const { status, scale } = version.subresources ?? {};
  const rules = customRules(version, world.compileRules);
  const warning = deprecationOf(version, info);
  return {
    info,
    rules,
    isCustom: true,
    columns: customPrinter(version.additionalPrinterColumns),
    ...fieldsOf(serving, rules),
    ...(warning === undefined ? {} : { warning }),
    ...(info.verbs === LAST_VERBS ? { answeredVerbs: LAST_ANSWERS } : {}),
    ...conversionOf(serving),
    subresources: {
      ...(status === undefined ? {} : { status: world.status }),
      ...(scale === undefined ? {} : { scale: createScale({ ...world, view: scaleByPaths(scale) }) }),
    },
  };
}

function deprecationOf(version: CustomResourceDefinitionVersion, info: ResourceInfo): string | undefined {
  if (version.deprecated !== true) return undefined;
  return version.deprecationWarning ?? `${groupVersion(info)} ${info.kind} is deprecated`;
}

function webhookOf({ conversion }: CustomResourceDefinition['spec']): CustomResourceConversion['webhook'] {
  return conversion?.strategy === 'Webhook' ? conversion.webhook : undefined;
}

/** A webhook may make other fields of an object: then they are read from what it makes. */
function fieldsOf(
  { definition: { spec } }: Serving,
  { fields }: KindRules,
): Pick<VersionDefinition, 'fields' | 'selectsViews'> {
  if (webhookOf(spec) !== undefined) return { fields: fields ?? {}, selectsViews: true };
  return fields === undefined ? {} : { fields };
}

function conversionOf(serving: Serving): { readonly conversion?: Conversion } {
  const { info, stored, world, definition } = serving;
  const webhook = webhookOf(definition.spec);
  if (webhook === undefined) return info.version === stored.version ? {} : { conversion: renaming(serving) };
  const normalise = normalising(serving);
  return { conversion: webhookConversion(world, { webhook, normalise }, { stored, served: info }) };
}

/** By a version's schema: what it does not know is left out, what is missing gets its default. */
function normalising({ world, definition: { spec } }: Serving): (object: object, version: ResourceInfo) => KubeObject {
  const rulesOf = new Map(spec.versions.map((version) => [version.name, customRules(version, world.compileRules)]));
  return (object, version) => {
    const { value } = world.schemas.decode<KubeObject>(version.schema, object);
    rulesOf.get(version.version)?.defaults?.(value);
    return value;
  };
}

/** Conversion `None`: the name of the version changes; what the other version's schema does not know is left out. */
function renaming(serving: Serving): Conversion {
  const { info, stored } = serving;
  const normalise = normalising(serving);
  const into =
    (target: ResourceInfo) =>
    (object: KubeObject): KubeObject =>
      normalise({ ...object, apiVersion: groupVersion(target) }, target);
  return { toStored: (objects) => objects.map(into(stored)), toServed: (objects) => objects.map(into(info)) };
}

/** One struct for each version's kind and one for its lists. */
function structsOf(
  versions: readonly CustomResourceDefinitionVersion[],
  infoOf: (version: CustomResourceDefinitionVersion) => ResourceInfo,
): SchemaTable {
  const structs: { [name: string]: StructSchema } = {};
  for (const version of versions) {
    const { schema, group, listKind } = infoOf(version);
    structs[schema] = {
      fields: {
        apiVersion: { type: 'string', omitEmpty: true },
        kind: { type: 'string', omitEmpty: true },
        metadata: { type: '#meta.v1.ObjectMeta' },
      },
      structural: schemaOf(version),
    };
    structs[structName(group, version.name, listKind)] = {
      fields: {
        apiVersion: { type: 'string', omitEmpty: true },
        items: { type: `[]#${schema}`, required: true },
        kind: { type: 'string', omitEmpty: true },
        metadata: { type: '#meta.v1.ListMeta' },
      },
    };
  }
  return structs;
}
