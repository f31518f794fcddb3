/** The tests of the CEL specification, as `@bufbuild/cel-spec` carries them, in the words of this room. */
import { tests } from '@bufbuild/cel-spec/testdata/conformance.js';
import { CompileError } from '../errors.ts';
import type { Environment } from '../check/environment.ts';
import { kubernetesLibrary } from '../library.ts';
import { compile } from '../program.ts';
import { BIND_MACRO, KUBERNETES_MACROS } from '../syntax/macros.ts';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  formatType,
  INT,
  listOf,
  mapOf,
  NULL,
  optionalOf,
  STRING,
  TIMESTAMP,
  typeOf,
  UINT,
} from '../types.ts';
import type { Type } from '../types.ts';
import { isEqual } from '../compare.ts';
import { CelMap, Duration, Optional, Timestamp, TypeValue, Uint } from '../values.ts';
import type { Value } from '../values.ts';
import { readDuration, readTimestamp } from '../functions/time-text.ts';

interface Json {
  readonly [name: string]: unknown;
}

export interface Row {
  /** `suite/section/name`. */
  readonly name: string;
  readonly test: Json;
}

interface Suite {
  readonly name: string;
  readonly suites?: readonly Suite[];
  readonly tests?: readonly { readonly original: Json }[];
}

/** Every test, with the suites that it is in. */
export function specification(): readonly Row[] {
  const rows: Row[] = [];
  collect(tests as unknown as Suite, '', rows);
  return rows;
}

function collect(suite: Suite, prefix: string, rows: Row[]): void {
  for (const { original } of suite.tests ?? [])
    rows.push({ name: `${prefix}${String(original['name'])}`, test: original });
  for (const inner of suite.suites ?? []) collect(inner, `${prefix}${inner.name}/`, rows);
}

/** Something that this room has no word for: messages of protocol buffers. */
export class OutOfScope {
  readonly what: string;

  constructor(what: string) {
    this.what = what;
  }
}

const PRIMITIVES: { readonly [name: string]: Type } = { BOOL, BYTES, DOUBLE, INT64: INT, STRING, UINT64: UINT };

function readType(type: Json): Type {
  const list = type['listType'] as Json | undefined;
  const map = type['mapType'] as Json | undefined;
  const abstract = type['abstractType'] as Json | undefined;
  const primitive = PRIMITIVES[String(type['primitive'])];
  if (primitive !== undefined) return primitive;
  if (list !== undefined) return listOf(readType((list['elemType'] as Json | undefined) ?? { dyn: {} }));
  if (map !== undefined) return mapOf(readType(map['keyType'] as Json), readType(map['valueType'] as Json));
  if (type['wellKnown'] === 'TIMESTAMP') return TIMESTAMP;
  if (type['wellKnown'] === 'DURATION') return DURATION;
  if ('dyn' in type) return DYN;
  if ('null' in type) return NULL;
  if ('type' in type) return typeOf(readType(type['type'] as Json));
  if (abstract?.['name'] === 'optional_type')
    return optionalOf(readType((abstract['parameterTypes'] as Json[])[0] as Json));
  throw new OutOfScope(JSON.stringify(type));
}

function readValue(value: Json): Value {
  const [[kind, inner] = ['', undefined]] = Object.entries(value);
  switch (kind) {
    case 'int64Value':
      return BigInt(String(inner));
    case 'uint64Value':
      return new Uint(BigInt(String(inner)));
    case 'doubleValue':
      return Number(inner);
    case 'stringValue':
    case 'boolValue':
      return inner as string | boolean;
    case 'bytesValue':
      return Uint8Array.from(Buffer.from(String(inner), 'base64'));
    case 'nullValue':
      return null;
    case 'typeValue':
      return new TypeValue(String(inner));
    case 'listValue':
      return ((inner as Json)['values'] as Json[] | undefined)?.map(readValue) ?? [];
    case 'mapValue':
      return readMap(inner as Json);
    default:
      return readMessage(inner as Json);
  }
}

function readMap(map: Json): Value {
  const entries = (map['entries'] as Json[] | undefined) ?? [];
  return new CelMap(entries.map(({ key, value }) => [readValue(key as Json), readValue(value as Json)]));
}

function readMessage(message: Json): Value {
  const name = String(message['@type']).replace('type.googleapis.com/', '');
  if (name === 'google.protobuf.Duration') return readDuration(String(message['value']));
  if (name === 'google.protobuf.Timestamp') return readTimestamp(String(message['value']));
  throw new OutOfScope(name);
}

const LIBRARY = kubernetesLibrary();
const IDLE = { work: () => undefined, lengthOf: (text: string): number => text.length };

/** Runs a test; what is wrong, or undefined. Throws OutOfScope. */
export function wrongWith(test: Json): string | undefined {
  const source = String(test['expr']);
  const container = typeof test['container'] === 'string' ? test['container'] : '';
  if (
    container !== '' ||
    /\bTestAllTypes|google\.(?:protobuf\.(?!Timestamp\b|Duration\b)|api)|cel\.(?:block|expr|iterVar|index)/.test(source)
  ) {
    throw new OutOfScope(container || source);
  }
  if (test['disableCheck'] === true && !('evalError' in test))
    throw new OutOfScope('expressions that were not checked');
  const environment = environmentOf(test);
  const bindings = Object.entries((test['bindings'] as Json | undefined) ?? {});
  const variables = new Map(bindings.map(([name, bound]) => [name, readValue((bound as { value: Json }).value)]));
  const wanted = test['value'] as Json | undefined;
  const expected = wanted === undefined ? undefined : readValue(wanted);
  const deduced = (test['typedResult'] as Json | undefined)?.['deducedType'] as Json | undefined;
  try {
    const program = compile(source, environment);
    if (deduced !== undefined && formatType(readType(deduced)) !== formatType(program.type)) {
      return `is of type ${formatType(program.type)}, not ${formatType(readType(deduced))}`;
    }
    if (test['checkOnly'] === true) return undefined;
    const { value, error } = program.run(variables, 1e9);
    if ('evalError' in test) return error === undefined ? 'does not fail' : undefined;
    if (value === undefined) return String(error);
    if (expected === undefined && deduced !== undefined) return undefined;
    const answer = expected === undefined ? true : expected;
    return isSame(value, answer) ? undefined : `answers ${show(value)}, not ${show(answer)}`;
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    return 'evalError' in test ? undefined : error.message;
  }
}

function environmentOf(test: Json): Environment {
  const declared = ((test['typeEnv'] as Json[] | undefined) ?? []).map((one): [string, Type] => {
    const ident = one['ident'] as Json | undefined;
    if (ident === undefined) throw new OutOfScope('functions of its own');
    return [String(one['name']), readType(ident['type'] as Json)];
  });
  return {
    functions: LIBRARY,
    macros: new Map([...KUBERNETES_MACROS, ...BIND_MACRO]),
    variables: new Map(declared),
    objects: new Map(),
    isHomogeneous: false,
  };
}

/** The same value of the same type: 1 is not 1u here. */
function isSame(a: Value, b: Value): boolean {
  if (typeof a === 'number' && typeof b === 'number') return Object.is(a, b) || a === b;
  if (a instanceof Optional || b instanceof Optional) return false;
  if (a instanceof Uint !== b instanceof Uint || typeof a !== typeof b) return false;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, i) => isSame(item as Value, b[i] as Value));
  }
  return isEqual(a, b, IDLE);
}

function show(value: Value): string {
  if (value instanceof Timestamp || value instanceof Duration) return `${value.nanos} ns`;
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? `${inner}` : inner));
}
