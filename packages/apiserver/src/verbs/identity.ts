/** What a body says that it is, and upstream's words for what it cannot be. */
import { findKind } from '@binnacle/api';
import { groupVersion } from '@binnacle/machinery';

/** The kind that stands at a path. */
interface Expected {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Empty where nothing is said. */
export interface Identity {
  readonly kind: string;
  readonly apiVersion: string;
}

const BUILT_IN = 'pkg/api/legacyscheme/scheme.go:30';
/** What upstream's registers of kinds are called in its messages, by group where it is not the one of all others. */
const REGISTERS: ReadonlyMap<string, string> = new Map([
  ['apiextensions.k8s.io', 'k8s.io/apiextensions-apiserver/pkg/apiserver/apiserver.go:55'],
  ['apiregistration.k8s.io', 'k8s.io/kube-aggregator/pkg/apiserver/scheme/scheme.go:28'],
]);
/** Kinds that have no resource of their own, but a place in the register of their group. */
const OTHER_KINDS: ReadonlySet<string> = new Set([
  ...['v1/Binding', 'v1/DeleteOptions', 'v1/List', 'v1/Status', 'autoscaling/v1/Scale', 'policy/v1/Eviction'],
]);
const PARSE = "couldn't get version/kind; json parse error: json: cannot unmarshal";
const NAMED = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** Reads what a document says that it is, or says why that cannot be read. */
export function identityOf(document: unknown): Identity | { readonly why: string } {
  if (document === null || document === undefined) return { kind: '', apiVersion: '' };
  if (typeof document !== 'object' || Array.isArray(document)) {
    return { why: `${PARSE} ${goKind(document)} into Go value of type ${NAMED}` };
  }
  const own = (name: string): unknown =>
    (Object.hasOwn(document, name) ? Reflect.get(document, name) : undefined) ?? '';
  const odd = Object.keys(document).find((name) => isNaming(name) && typeof own(name) !== 'string');
  if (odd !== undefined) return { why: `${PARSE} ${goKind(own(odd))} into Go struct field .${odd} of type string` };
  const [kind, apiVersion] = [own('kind') as string, own('apiVersion') as string];
  if (apiVersion.indexOf('/') !== apiVersion.lastIndexOf('/'))
    return { why: `unexpected GroupVersion string: ${apiVersion}` };
  return { kind, apiVersion: apiVersion === '/' ? '' : apiVersion };
}

function isNaming(name: string): boolean {
  return name === 'kind' || name === 'apiVersion';
}

/** What Go's decoder calls a value that it cannot take. */
export function goKind(value: unknown): string {
  if (typeof value === 'boolean') return 'bool';
  return Array.isArray(value) ? 'array' : typeof value;
}

/**
 * Why an object of one built-in kind is not taken for another; undefined where it is of the kind, in whatever version. `shown`: the
 * document, where a message has to show it.
 */
export function kindMistake(found: Identity, expected: Expected, shown: () => string): string | undefined {
  const wanted = groupVersion(expected);
  const kind = found.kind === '' ? expected.kind : found.kind;
  const apiVersion = found.apiVersion === '' ? wanted : found.apiVersion;
  if (kind === expected.kind && apiVersion === wanted) return undefined;
  const slash = apiVersion.indexOf('/');
  const [group, version] = [slash === -1 ? '' : apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
  if (version === '') return `Object 'apiVersion' is missing in '${shown()}'`;
  // Kinds of the groups that others keep are in registers of their own.
  const isKnown = REGISTERS.has(expected.group) ? group === expected.group : !REGISTERS.has(group);
  if (!isKnown || !isRegistered(group, version, kind)) {
    const register = REGISTERS.get(expected.group) ?? BUILT_IN;
    return `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "${register}"`;
  }
  if (kind === expected.kind && internalGroup(group) === internalGroup(expected.group)) return undefined;
  return `converting (${version}.${kind}) to (${internalGroup(expected.group)}.${expected.kind}): unknown conversion`;
}

function isRegistered(group: string, version: string, kind: string): boolean {
  if (findKind(group, version, kind) !== undefined) return true;
  if (kind.endsWith('List') && findKind(group, version, kind.slice(0, -'List'.length)) !== undefined) return true;
  return OTHER_KINDS.has(`${group === '' ? '' : `${group}/`}${version}/${kind}`);
}

/** The package of upstream's own kinds; both groups of events have one. */
function internalGroup(group: string): string {
  if (group === '' || group === 'events.k8s.io') return 'core';
  const [first = ''] = group.split('.', 1);
  return first === 'internal' ? 'apiserverinternal' : first;
}
