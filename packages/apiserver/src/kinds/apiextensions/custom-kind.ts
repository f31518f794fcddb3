/** From a definition of a custom kind, as clients write it, to one of the catalogue. */
import type { ResourceInfo, SubresourceInfo } from '@binnacle/api';
import { isConditionTrue } from '@binnacle/api';
import type {
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
import { createScale } from '../../verbs/scale.ts';
import { customPrinter } from './columns.ts';
import { customRules, customStrategy, schemaOf } from './custom-rules.ts';
import type { CompileRules } from './custom-rules.ts';
import { scaleByPaths } from './scale-paths.ts';

export interface CustomKindWorld {
  readonly changer: Changer;
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
    resourceInfo({ definition, names, storage: storage.name }, version);
  const hasStatus = new Map(
    spec.versions.map((version) => [`${spec.group}/${version.name}`, version.subresources?.status !== undefined]),
  );
  return {
    kind: 'stored',
    name: `${names.plural}.${spec.group}`,
    storage: infoOf(storage),
    versions: served.map((version) =>
      servedVersion(version, { info: infoOf(version), stored: infoOf(storage), world, spec }),
    ),
    structs: structsOf(spec.versions, infoOf),
    rules: customRules(storage, world.compileRules),
    strategy: customStrategy(hasStatus),
    traits: { ...PLAIN_TRAITS, generation: true, unconditionalUpdate: false },
    mutableSchema: true,
  };
}

interface Naming {
  readonly definition: CustomResourceDefinition;
  readonly names: CustomResourceDefinitionNames;
  readonly storage: string;
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
    storage: { group, version: storage, kind },
  };
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
  readonly spec: CustomResourceDefinition['spec'];
}

function servedVersion(version: CustomResourceDefinitionVersion, serving: Serving): VersionDefinition {
  const { info, stored, world } = serving;
  const { status, scale } = version.subresources ?? {};
  const rules = customRules(version, world.compileRules);
  const isStored = info.version === stored.version;
  const warning = deprecationOf(version, info);
  return {
    info,
    rules,
    columns: customPrinter(version.additionalPrinterColumns),
    ...(rules.fields === undefined ? {} : { fields: rules.fields }),
    ...(warning === undefined ? {} : { warning }),
    ...(info.verbs === LAST_VERBS ? { answeredVerbs: LAST_ANSWERS } : {}),
    ...(isStored ? {} : { conversion: renaming(serving) }),
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

/** Conversion `None`: the name of the version changes; what the other version's schema does not know is left out. */
function renaming({ info, stored, world, spec }: Serving): Conversion {
  const rulesOf = new Map(spec.versions.map((version) => [version.name, customRules(version, world.compileRules)]));
  const into =
    (target: ResourceInfo) =>
    (object: KubeObject): KubeObject => {
      const renamed = { ...object, apiVersion: groupVersion(target) };
      const { value } = world.schemas.decode<KubeObject>(target.schema, renamed);
      rulesOf.get(target.version)?.defaults?.(value);
      return value;
    };
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
