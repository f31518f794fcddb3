/**
 * Objects of all kinds that nobody would send in good faith, through everything that the rooms below do to an object:
 * decode, default, validate, write, read again, change, patch. All from one seed.
 */
import assert from 'node:assert/strict';
import {
  applyJsonPatch,
  applyMergePatch,
  applyStrategicPatch,
  DecodeError,
  parseDocument,
  QuantityError,
  StatusError,
} from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import { readYaml } from '@binnacle/machinery/yaml';
import type { ResourceInfo } from '../kind.ts';
import { kindRules } from '../kinds.ts';
import { RESOURCES, RESOURCES_ON_REQUEST } from '../resources.ts';
import { schemas } from '../schemas.ts';
import { validateCreate, validateStatusUpdate, validateUpdate } from '../validate.ts';

/** Numbers from 0 to 1, the same for one seed. */
export type Chance = () => number;

/** Mulberry32: enough to choose with. */
export function chanceOf(seed: number): Chance {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Texts that mean something somewhere, and some that mean harm. */
const TEXTS: readonly string[] = [
  ...[
    'a',
    'x.example.com',
    'example.com/a',
    'kube-system',
    'v1',
    'Pod',
    'pods',
    '*',
    '',
    ' ',
    'A',
    '-',
    '.',
    '..',
    '/',
  ],
  ...['10.0.0.1', '10.0.0.0/8', '::1', 'fd00::/64', '300.1.1.1', '80', 'http', '0', '1', '-1', '100%', '101%', '1e3'],
  ...['TCP', 'UDP', 'Always', 'Never', 'OnFailure', 'ClusterIP', 'ExternalName', 'None', 'Exists', 'In', 'Gt', 'NotIn'],
  ...['@daily', '* * * * *', '*/0 * * * *', 'TZ=Nowhere * * * * *', '61 * * * *', '0-5,7', '1-', '9999999999', '1,1'],
  ...['cpu', 'memory', 'hugepages-2Mi', 'requests.cpu', 'count/pods', 'storage', 'BestEffort', 'Terminating', 'Delete'],
  ...["metadata.labels['x']", "metadata.annotations['']", 'metadata.name', 'status.podIP', 'limits.cpu', "['", "']"],
  ...[
    'Utilization',
    'Value',
    'Resource',
    'External',
    'Percent',
    'Pods',
    'Limited',
    'Exempt',
    'Queue',
    'Reject',
    'User',
  ],
  ...['kubernetes.io/tls', 'kubernetes.io/kube-apiserver-client', 'example.com/signer', 'Approved', 'Denied', 'Failed'],
  ...['object', 'string', 'integer', 'array', 'Namespaced', 'Cluster', 'Webhook', 'Fail', 'Ignore', 'Deny', 'Audit'],
  ...[
    'https://x.example.com/a?b#c',
    'http://x',
    'a=b',
    'a in (b)',
    '{"a":1}',
    '[',
    '(',
    '(a+)+$',
    '{{',
    'object.x == 1',
  ],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', '\ud800', '\u0000', 'é', '😀', '<&>"\\'],
  ...['x'.repeat(64), 'x'.repeat(254), `${'a.'.repeat(130)}a`, '1'.repeat(40)],
];
const NUMBERS: readonly number[] = [
  0, 1, 2, 7, 80, 443, 100, 1000, 65535, 65536, -1, 2147483647, -2147483648, 9007199254740991, 1.5, 1e300, -0,
];
const QUANTITIES = ['0', '1', '100m', '1Gi', '-1', '1.5', '1e3', '9e99', '0.0000000001', '1n', 'x', '1Ki', '3Mi'];
const TIMES = ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.123456Z', 'yesterday'];
const HOSTILE: readonly unknown[] = [null, '', 0, -1, true, [], {}, [null], { constructor: 1 }, [[]], 'x', 1e21, [{}]];
const KEYS = [
  'a',
  'cpu',
  'memory',
  'app',
  'example.com/x',
  'constructor',
  '__proto__',
  'toString',
  '',
  '!',
  'x'.repeat(70),
];

function pick<T>(chance: Chance, from: readonly T[]): T {
  return from[Math.floor(chance() * from.length)] as T;
}

const SCALARS: { readonly [type: string]: (chance: Chance) => unknown } = {
  string: (chance) => pick(chance, TEXTS),
  bool: (chance) => chance() < 0.5,
  int32: (chance) => pick(chance, NUMBERS),
  int64: (chance) => pick(chance, NUMBERS),
  double: (chance) => pick(chance, NUMBERS),
  bytes: (chance) => pick(chance, ['', 'eA==', 'LS0tLS1CRUdJTg==', '=']),
  Time: (chance) => pick(chance, TIMES),
  MicroTime: (chance) => pick(chance, TIMES),
  Duration: () => '1s',
  Quantity: (chance) => pick(chance, QUANTITIES),
  IntOrString: (chance) => pick<unknown>(chance, [0, 1, 80, '80', 'http', '50%', '-5%', '', -1, 'x%']),
};

/** A value of a type of the table, mostly of the right shape. */
function valueOf(type: string, depth: number, chance: Chance): unknown {
  if (chance() < 0.012) return pick(chance, HOSTILE);
  if (type.startsWith('[]'))
    return Array.from({ length: Math.floor(chance() * 3.2) }, () => valueOf(type.slice(2), depth - 1, chance));
  if (type.startsWith('{}')) return mapOf(type.slice(2), depth, chance);
  if (!type.startsWith('#')) return SCALARS[type]?.(chance) ?? anything(depth, chance);
  return structOf(type.slice(1), depth, chance);
}

function mapOf(type: string, depth: number, chance: Chance): object {
  const entries = Array.from(
    { length: Math.floor(chance() * 3) },
    () => [pick(chance, KEYS), valueOf(type, depth - 1, chance)] as const,
  );
  return Object.fromEntries(entries);
}

function structOf(name: string, depth: number, chance: Chance): object {
  const entries: [string, unknown][] = [];
  for (const [field, { type, enum: allowed, required }] of Object.entries(schemas.struct(name)?.fields ?? {})) {
    const isWanted = chance() < (required === true ? 0.9 : depth > 4 ? 0.4 : 0.25);
    if (!isWanted || (depth <= 0 && /#/.test(type))) continue;
    const isEnum = allowed !== undefined && type === 'string' && chance() < 0.8;
    entries.push([field, isEnum ? pick(chance, allowed) : valueOf(type, depth - 1, chance)]);
  }
  if (chance() < 0.02) entries.push([pick(chance, KEYS), pick(chance, HOSTILE)]);
  return Object.fromEntries(entries);
}

function anything(depth: number, chance: Chance): unknown {
  if (depth <= 0 || chance() < 0.4) return pick<unknown>(chance, [...HOSTILE, ...TEXTS]);
  return { [pick(chance, KEYS)]: anything(depth - 1, chance), [pick(chance, KEYS)]: [anything(depth - 1, chance)] };
}

function objectOf(info: ResourceInfo, chance: Chance): object {
  const object = structOf(info.schema, 9, chance) as { metadata?: unknown };
  if (chance() < 0.9) {
    const own =
      chance() < 0.8 ? { name: 'x', ...(info.namespaced ? { namespace: 'd' } : {}), resourceVersion: '1' } : {};
    object.metadata = { ...(typeof object.metadata === 'object' ? object.metadata : {}), ...own };
  }
  return object;
}

/** The known ways to refuse an input. */
function isRefusal(error: unknown): boolean {
  if (error instanceof StatusError) return error.httpCode < 500;
  return error instanceof DecodeError || error instanceof QuantityError;
}

function decode(info: ResourceInfo, text: string): KubeObject | undefined {
  try {
    const { value } = schemas.decodeJson<KubeObject>(text, info.schema, 'Strict');
    const object = (value.metadata === undefined ? { ...value, metadata: {} } : value) as KubeObject;
    kindRules(info.group, info.kind).defaults?.(object);
    return object;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return undefined;
  }
}

function judge(info: ResourceInfo, object: KubeObject, before: KubeObject): boolean {
  const rules = kindRules(info.group, info.kind);
  const errors = validateCreate(info, object);
  for (const found of [errors, validateUpdate(info, object, before), validateStatusUpdate(info, object, before)]) {
    for (const error of found) assert.equal(typeof error.toString(), 'string');
  }
  for (const read of Object.values(rules.fields ?? {})) assert.equal(typeof read(object), 'string');
  if (errors.length > 0) return false;
  for (const told of [rules.warnings?.(object), rules.warnings?.(object, before), rules.statusWarnings?.(object)]) {
    for (const warning of told ?? []) assert.equal(typeof warning, 'string');
  }
  return true;
}

/** What is stored is read back as it was. */
function checkRoundTrip(info: ResourceInfo, object: KubeObject): void {
  const text = JSON.stringify(object);
  const again = decode(info, text);
  assert.ok(again !== undefined, 'what was accepted is read again');
  assert.deepEqual(JSON.parse(JSON.stringify(again)), JSON.parse(text));
  assert.ok(text.isWellFormed());
}

const OPERATIONS = ['add', 'remove', 'replace', 'move', 'copy', 'test', 'x', null];
const DIRECTIVES = ['replace', 'delete', 'merge', 'x', null, 1, {}, []];

function patchOf(info: ResourceInfo, chance: Chance): object {
  // A copy: parts of it may be constants, and what is written into one of those would be in all patches to come.
  const patch = structuredClone(structOf(info.schema, 5, chance)) as { [key: string]: unknown };
  const key = pick(chance, [
    '$patch',
    '$retainKeys',
    '$setElementOrder/containers',
    '$deleteFromPrimitiveList/finalizers',
  ]);
  const target = pick(chance, [patch, patch['spec'], patch['metadata'], patch['status']]);
  if (typeof target === 'object' && target !== null) {
    (target as { [key: string]: unknown })[key] = structuredClone(
      chance() < 0.5 ? pick(chance, DIRECTIVES) : anything(2, chance),
    );
  }
  return patch;
}

function operationsOf(object: object, chance: Chance): unknown[] {
  const path = (): string => {
    const steps: string[] = [];
    for (let at: unknown = object; typeof at === 'object' && at !== null && chance() < 0.8;) {
      const key = chance() < 0.1 ? pick(chance, [...KEYS, '-', '0', '99', '-1']) : pick(chance, Object.keys(at));
      steps.push(String(key));
      at = Object.hasOwn(at, key ?? '') ? (at as { [key: string]: unknown })[key ?? ''] : undefined;
    }
    return `/${steps.join('/')}`;
  };
  return Array.from({ length: 1 + Math.floor(chance() * 4) }, () => ({
    op: pick(chance, OPERATIONS),
    path: path(),
    from: path(),
    value: anything(2, chance),
  }));
}

function tryPatches(info: ResourceInfo, object: KubeObject, chance: Chance): void {
  const document = JSON.parse(JSON.stringify(object)) as object;
  const kept = JSON.stringify(document);
  const attempts: readonly (() => unknown)[] = [
    () => applyMergePatch(document, parseDocument(JSON.stringify(patchOf(info, chance)))),
    () => applyJsonPatch(document, parseDocument(JSON.stringify(operationsOf(document, chance)))),
    () =>
      applyStrategicPatch(schemas, info.schema, {
        document,
        patch: parseDocument(JSON.stringify(patchOf(info, chance))),
      }),
  ];
  for (const attempt of attempts) {
    try {
      const patched = decode(info, JSON.stringify(attempt()));
      if (patched !== undefined) judge(info, patched, object);
    } catch (error) {
      if (!isRefusal(error)) throw error;
    }
    assert.equal(JSON.stringify(document), kept, 'a patch changes nothing in place');
  }
}

const STORED: readonly ResourceInfo[] = [...RESOURCES, ...RESOURCES_ON_REQUEST].filter(
  ({ group, version, storage, virtual }) => !virtual && group === storage.group && version === storage.version,
);

/** One hostile request: which kind it is for, and its body as JSON. The same for one seed. */
export interface HostileBody {
  readonly info: ResourceInfo;
  readonly text: string;
  /** A patch of such an object, likewise. */
  readonly patch: string;
}

/** The hostile request of a seed; the kinds take turns. */
export function hostileBody(seed: number): HostileBody {
  const chance = chanceOf(seed);
  const info = STORED[seed % STORED.length] as ResourceInfo;
  return { info, text: JSON.stringify(objectOf(info, chance)), patch: JSON.stringify(patchOf(info, chance)) };
}

/** What a run saw. */
export interface FuzzTally {
  readonly objects: number;
  decoded: number;
  valid: number;
}

/** Sends so many objects through. A crash is told with the object and the seed that make it again; the first one throws. */
export function fuzz(seed: number, objects: number, onFault: (fault: string) => void = throwIt): FuzzTally {
  const tally = { objects, decoded: 0, valid: 0 };
  for (let i = 0; i < objects; i++) {
    const chance = chanceOf(seed + i);
    const info = STORED[i % STORED.length] as ResourceInfo;
    const text = JSON.stringify(objectOf(info, chance));
    try {
      fuzzOne({ info, text, chance }, tally);
    } catch (error) {
      const said = error instanceof Error ? (error.stack ?? error.message) : 'thrown';
      onFault(`seed ${seed + i}, ${info.group}/${info.kind}: ${said}\n${text}`);
    }
  }
  assert.equal(({} as { polluted?: unknown }).polluted, undefined);
  assert.deepEqual(Object.keys(Object.prototype), []);
  return tally;
}

function throwIt(message: string): never {
  throw new assert.AssertionError({ message });
}

function fuzzOne({ info, text, chance }: { info: ResourceInfo; text: string; chance: Chance }, tally: FuzzTally): void {
  if (text.isWellFormed() && !text.includes('\\u') && chance() < 0.05) {
    assert.equal(JSON.stringify(readYaml(text).value), JSON.stringify(JSON.parse(text)), 'JSON is YAML');
  }
  const object = decode(info, text);
  if (object === undefined) return;
  tally.decoded++;
  const before = decode(info, '{"metadata":{"name":"x","namespace":"d","resourceVersion":"1"}}');
  if (judge(info, object, before ?? object)) tally.valid++;
  if (before !== undefined) judge(info, before, object);
  checkRoundTrip(info, object);
  if (chance() < 0.2) tryPatches(info, object, chance);
}
