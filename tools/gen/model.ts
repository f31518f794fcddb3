import type { Union, UnionForm } from '../../packages/machinery/src/schema/table.ts';
import { goTypes, openApi, proto } from './facts.ts';
import type { GoField, GoType } from './facts.ts';

/** One Go package of the API, under the short name that the schema table and the generated files use. */
export interface Package {
  go: string;
  /** `core.v1`, `meta.v1`, … */
  short: string;
  types: Record<string, GoType>;
}

/** A resolved type reference. `named` points at a struct or alias of a package. */
export type Type =
  | { kind: 'scalar'; name: string }
  | { kind: 'named'; pkg: Package; name: string }
  | { kind: 'list'; of: Type }
  | { kind: 'map'; of: Type };

export interface Field {
  name: string;
  type: Type;
  pointer: boolean;
  source: GoField;
  /** The embedded structs that it comes from, outermost first. */
  via: { short: string; name: string }[];
}

/** Of Go, which the facts leave out: only its presence means something. */
export const EMPTY_STRUCT = '#apiextensions.v1.CustomResourceSubresourceStatus';

const LEAVES: Record<string, string> = {
  'meta.v1.Time': 'Time',
  'meta.v1.MicroTime': 'MicroTime',
  'meta.v1.Duration': 'Duration',
  'meta.v1.FieldsV1': 'FieldsV1',
  'resource.Quantity': 'Quantity',
  'intstr.IntOrString': 'IntOrString',
  'runtime.RawExtension': 'RawExtension',
  'runtime.Object': 'RawExtension',
  'types.UID': 'string',
  'types.NamespacedName': 'string',
  'apiextensions.v1.CustomResourceSubresourceStatus': EMPTY_STRUCT,
  'apiextensions.v1.JSON': 'JSON',
  'apiextensions.v1.JSONSchemaPropsOrArray': '#apiextensions.v1.JSONSchemaPropsOrArray',
  'apiextensions.v1.JSONSchemaPropsOrBool': '#apiextensions.v1.JSONSchemaPropsOrBool',
  'apiextensions.v1.JSONSchemaPropsOrStringArray': '#apiextensions.v1.JSONSchemaPropsOrStringArray',
};

/** Types that Go reads and writes by hand, as JSON says them in several forms: their messages have a field for each. */
export const UNIONS: ReadonlySet<string> = new Set(
  Object.values(LEAVES).filter((name) => name.startsWith('#') && name !== EMPTY_STRUCT),
);

const BUILTIN: Record<string, string> = {
  string: 'string',
  bool: 'bool',
  int32: 'int32',
  int64: 'int64',
  int: 'int64',
  uint32: 'int64',
  uint8: 'int32',
  uint64: 'int64',
  float64: 'double',
  float32: 'double',
};

/** Go declarations that the facts leave out because they are maps. */
const MAPS: Record<string, string> = {
  'core.v1.ResourceList': 'map[string]resource.Quantity',
};

function shortName(go: string): string {
  const parts = go.split('/');
  return `${parts.at(-2)}.${parts.at(-1)}`;
}

/** Packages that are only spoken to webhooks and discovery clients, never stored. */
const NOT_STORED = new Set(['admission.v1', 'apidiscovery.v2']);

export const packages: Package[] = Object.entries(goTypes)
  .map(([go, types]) => ({ go, short: shortName(go), types }))
  .filter((pkg) => !NOT_STORED.has(pkg.short));
const byShort = new Map(packages.map((p) => [p.short, p]));

function packageFor(alias: string, name: string): string {
  if (alias === 'v1' || alias === 'apiv1' || alias === 'corev1') {
    const meta = byShort.get('meta.v1');
    return alias === 'v1' && meta !== undefined && name in meta.types && name !== 'ConditionStatus'
      ? 'meta.v1'
      : 'core.v1';
  }
  if (alias === 'metav1') return 'meta.v1';
  if (/v\d+$/.test(alias)) return alias.replace(/(v\d+)$/, '.$1');
  return alias;
}

function resolveName(pkg: Package, text: string): Type {
  const dot = text.indexOf('.');
  if (dot === -1 && text in BUILTIN) return { kind: 'scalar', name: BUILTIN[text] as string };
  const name = dot === -1 ? text : text.slice(dot + 1);
  const short = dot === -1 ? pkg.short : packageFor(text.slice(0, dot), name);
  const leaf = LEAVES[`${short}.${name}`];
  if (leaf !== undefined) return { kind: 'scalar', name: leaf };
  const map = MAPS[`${short}.${name}`];
  if (map !== undefined) return resolveType(pkg, map).type;
  const target = byShort.get(short);
  const found = target?.types[name];
  if (target === undefined || found === undefined) {
    throw new Error(`unresolved ${text} in ${pkg.short}`);
  }
  if (found.fields === undefined && found.alias !== undefined && found.alias !== 'string') {
    return resolveType(target, found.alias).type;
  }
  return { kind: 'named', pkg: target, name };
}

/** Reads a Go type such as `map[ResourceName]resource.Quantity` or `*[]string`. */
export function resolveType(pkg: Package, go: string): { type: Type; pointer: boolean } {
  if (go.startsWith('*')) return { type: resolveType(pkg, go.slice(1)).type, pointer: true };
  if (go === '[]byte') return { type: { kind: 'scalar', name: 'bytes' }, pointer: false };
  if (go.startsWith('[]')) {
    return { type: { kind: 'list', of: resolveType(pkg, go.slice(2)).type }, pointer: false };
  }
  const map = /^map\[[^\]]*\](.*)$/.exec(go);
  if (map !== null) {
    return { type: { kind: 'map', of: resolveType(pkg, map[1] as string).type }, pointer: false };
  }
  return { type: resolveName(pkg, go), pointer: false };
}

/** The fields of a struct with embedded structs opened, in declaration order. */
export function fieldsOf(pkg: Package, type: GoType): Field[] {
  const out: Field[] = [];
  for (const [name, source] of Object.entries(type.fields ?? {})) {
    // Go's mark for a field that is not written.
    if (name === '-') continue;
    if (name.startsWith('<')) {
      const { type: embedded } = resolveType(pkg, source.go);
      if (embedded.kind === 'named') {
        const step = { short: embedded.pkg.short, name: embedded.name };
        for (const field of fieldsOf(embedded.pkg, embedded.pkg.types[embedded.name] as GoType)) {
          out.push({ ...field, via: [step, ...field.via] });
        }
      }
      continue;
    }
    out.push({ name, source, via: [], ...resolveType(pkg, source.go) });
  }
  return out;
}

const OPENAPI_PREFIX: Record<string, string> = {
  'meta.v1': 'io.k8s.apimachinery.pkg.apis.meta.v1',
  'apiextensions.v1': 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1',
  'apiregistration.v1': 'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1',
};

/** The OpenAPI definition's name of a struct, whether or not one exists. */
export function openApiName(short: string, type: string): string {
  return `${OPENAPI_PREFIX[short] ?? `io.k8s.api.${short}`}.${type}`;
}

/** What OpenAPI says of one field: required and enum. */
export function openApiField(short: string, type: string, field: string): { required: boolean; enum?: string[] } {
  const found = openApi[openApiName(short, type)]?.fields?.[field];
  if (typeof found !== 'object' || Array.isArray(found) || found === null) return { required: false };
  const shape = found as { required?: boolean; enum?: string[] };
  return { required: shape.required === true, ...(shape.enum ? { enum: shape.enum } : {}) };
}

function message(short: string, type: string): Record<string, [number, string]> | undefined {
  return proto[
    openApiName(short, type)
      .replace(/^io\.k8s/, 'k8s.io')
      .replaceAll('-', '_')
  ];
}

/** Protobuf numbers of a field: those of the embedded messages on the way, and its own; undefined where unknown. */
export function protoNumbers(short: string, type: string, field: Field): { own: number; within: number[] } | undefined {
  let at = { short, name: type };
  const within: number[] = [];
  for (const step of field.via) {
    const found = Object.values(message(at.short, at.name) ?? {}).find(([, of]) => of.split('.').at(-1) === step.name);
    if (found === undefined) return undefined;
    within.push(found[0]);
    at = step;
  }
  const wanted = plainName(field.name);
  const own = Object.entries(message(at.short, at.name) ?? {}).find(([name]) => plainName(name) === wanted);
  return own === undefined ? undefined : { own: own[1][0], within };
}

/** Protobuf spells some names with other capitals (`uID`, `aPIGroup`, `Webhooks`), and without `$` and `-`. */
function plainName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase();
}

/** The forms of a union, by what its message holds. */
export function unionOf(short: string, type: string): Union {
  const forms = Object.values(message(short, type) ?? {}).map(([number, of]): [keyof Union, UnionForm] => {
    const isList = of.startsWith('repeated ');
    const one = isList ? of.slice('repeated '.length) : of;
    const ref = one in BUILTIN ? one : `#${short}.${one}`;
    if (isList) return ['list', { type: `[]${ref}`, proto: number }];
    return [one === 'bool' ? 'bool' : 'object', { type: ref, proto: number }];
  });
  return Object.fromEntries(forms);
}

/** Lists that validation wants something in, so that none rests as null: the facts do not say it. */
const NEVER_EMPTY: ReadonlySet<string> = new Set([
  'admissionregistration.v1.MutatingWebhook.admissionReviewVersions',
  'admissionregistration.v1.ValidatingWebhook.admissionReviewVersions',
  'apiextensions.v1.CustomResourceDefinitionSpec.versions',
  'apiextensions.v1.CustomResourceDefinitionStatus.storedVersions',
  'batch.v1.PodFailurePolicyOnExitCodesRequirement.values',
  'batch.v1.SuccessPolicy.rules',
  'core.v1.CephFSPersistentVolumeSource.monitors',
  'core.v1.CephFSVolumeSource.monitors',
  'core.v1.NodeSelector.nodeSelectorTerms',
  'core.v1.PodExtendedResourceClaimStatus.requestMappings',
  'core.v1.PodSpec.containers',
  'core.v1.RBDPersistentVolumeSource.monitors',
  'core.v1.RBDVolumeSource.monitors',
  'core.v1.TopologySelectorLabelRequirement.values',
  'discovery.v1.Endpoint.addresses',
  'flowcontrol.v1.NonResourcePolicyRule.nonResourceURLs',
  'flowcontrol.v1.NonResourcePolicyRule.verbs',
  'flowcontrol.v1.PolicyRulesWithSubjects.subjects',
  'flowcontrol.v1.ResourcePolicyRule.apiGroups',
  'flowcontrol.v1.ResourcePolicyRule.resources',
  'flowcontrol.v1.ResourcePolicyRule.verbs',
  'networking.v1.HTTPIngressRuleValue.paths',
  'rbac.v1.PolicyRule.verbs',
]);

export function isNeverEmpty(short: string, type: string, field: string): boolean {
  return NEVER_EMPTY.has(`${short}.${type}.${field}`);
}
