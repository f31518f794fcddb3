import { base64ToBytes, parseGoDuration } from '@binnacle/base';
import type { Random } from '@binnacle/base';
import type { KeyServiceSettings } from '../../ports/key-service.ts';
import { EncryptionConfigError } from './errors.ts';
import { IDENTITY, KEY_BYTES, sealOf } from './providers.ts';
import type { Cipher, NamedKey, Seal } from './providers.ts';

/** Which resources rest sealed, and how: the first seal writes, all of them read. */
export interface EncryptionRule {
  /** `secrets`, `deployments.apps`, `*.apps`, `*.` (the core group), `*.*`. */
  readonly resources: readonly string[];
  readonly seals: readonly Seal[];
}

const API_VERSION = 'apiserver.config.k8s.io/v1';
const KIND = 'EncryptionConfiguration';
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

type Fields = ReadonlyMap<string, unknown>;

/**
 * The rules of an EncryptionConfiguration (apiserver.config.k8s.io/v1), its values as YAML or JSON gives them. Every
 * field is followed or refused by name. Throws EncryptionConfigError.
 */
export function readEncryptionConfig(value: unknown, makers: SealMakers): readonly EncryptionRule[] {
  const config = fieldsOf(value, '', ['kind', 'apiVersion', 'resources']);
  if (config.get('kind') !== KIND || config.get('apiVersion') !== API_VERSION) {
    throw new EncryptionConfigError(`not a ${KIND} of ${API_VERSION}`);
  }
  const seen = new Set<string>();
  const services = new Set<string>();
  const rules = listOf(config.get('resources'), 'resources').map((row, i) =>
    ruleOf(row, `resources[${i}]`, { makers, seen, services }),
  );
  if (rules.length === 0) throw new EncryptionConfigError('resources: must have at least one resource');
  return rules;
}

/** What seals are made with. */
export interface SealMakers {
  readonly random: Random;
  /** One whose keys a key service keeps. Absent: there are no key services here. */
  readonly envelope?: (settings: KeyServiceSettings) => Seal;
}

interface Reading {
  readonly makers: SealMakers;
  /** Names of key services so far. */
  readonly services: Set<string>;
  /** The resources that were named so far. */
  readonly seen: Set<string>;
}

function ruleOf(value: unknown, path: string, reading: Reading): EncryptionRule {
  const row = fieldsOf(value, path, ['resources', 'providers']);
  const resources = listOf(row.get('resources'), `${path}.resources`).map((name, i) =>
    resourceOf(name, `${path}.resources[${i}]`, reading.seen),
  );
  refuseOverlap(resources, `${path}.resources`);
  const providers = listOf(row.get('providers'), `${path}.providers`);
  if (resources.length === 0) throw new EncryptionConfigError(`${path}.resources: must name a resource`);
  if (providers.length === 0) throw new EncryptionConfigError(`${path}.providers: must have a provider`);
  const seals = providers.flatMap((provider, i) => providerSeals(provider, `${path}.providers[${i}]`, reading));
  return { resources, seals };
}

function resourceOf(given: unknown, path: string, seen: Set<string>): string {
  if (typeof given !== 'string' || given === '') throw new EncryptionConfigError(`${path}: must be a resource`);
  const why = wrongName(given);
  if (why !== undefined) throw new EncryptionConfigError(`${path}: ${why}`);
  // `secrets.` is `secrets` of the core group.
  const value = given === '*.' ? given : given.replace(/\.$/, '');
  // What comes after a rule that is wider would never be reached.
  const masks = widerNames(value).find((name) => seen.has(name));
  if (masks !== undefined) throw new EncryptionConfigError(`${path}: ${value} is covered by ${masks} before it`);
  seen.add(value);
  return value;
}

/** Names that are stored without an API of their own. */
const NO_RESOURCES: ReadonlySet<string> = new Set([
  'apiserveripinfo',
  'serviceipallocations',
  'servicenodeportallocations',
]);

/** Why nothing could ever be stored under such a name, so that what it is meant for would rest in the clear. */
function wrongName(name: string): string | undefined {
  if (name === '*') return "use '*.' for the core API group or '*.*' for all resources";
  if (name.includes('/')) return 'subresources are not stored';
  if (name !== name.toLowerCase()) return 'resource name should not contain capital letters';
  if (NO_RESOURCES.has(name)) return 'resources which do not have REST API/s cannot be encrypted';
  const [resource = '', ...rest] = name.split('.');
  const group = rest.join('.');
  if (group === 'events.k8s.io') return "events are stored in the core group: use 'events'";
  if (group === 'extensions') return "'extensions' group has been removed and cannot be used for encryption";
  if (group === '*' && resource !== '*') return 'encrypting the same resource across groups is not supported';
  return /^(?:\*|[-a-z0-9]+)(?:\.(?:\*|[-.a-z0-9]*))?$/.test(name) ? undefined : 'must be a resource';
}

/** A name beside a wider one in the same list would be hidden by it, or hide it in part. */
function refuseOverlap(resources: readonly string[], path: string): void {
  const named = new Set(resources);
  for (const name of resources) {
    const mask = widerNames(name).find((wider) => wider !== name && named.has(wider));
    if (mask === undefined) continue;
    throw new EncryptionConfigError(
      `${path}: using overlapping resources such as ${name} and ${mask} in the same resource list is not allowed as they will be masked`,
    );
  }
}

/** Names that mean this one too; itself among them. */
function widerNames(name: string): readonly string[] {
  const dot = name.indexOf('.');
  return [name, '*.*', dot === -1 ? '*.' : `*.${name.slice(dot + 1)}`];
}

function providerSeals(value: unknown, path: string, reading: Reading): readonly Seal[] {
  const provider = fieldsOf(value, path, ['aesgcm', 'aescbc', 'secretbox', 'identity', 'kms']);
  const [chosen, ...others] = [...provider.keys()];
  if (chosen === undefined || others.length > 0)
    throw new EncryptionConfigError(`${path}: must have exactly one provider`);
  if (chosen === 'kms') return [serviceSeal(provider.get('kms'), `${path}.kms`, reading)];
  if (chosen === 'identity') {
    fieldsOf(provider.get('identity') ?? {}, `${path}.identity`, []);
    return [IDENTITY];
  }
  const cipher = chosen as Cipher;
  const { keys } = Object.fromEntries(fieldsOf(provider.get(cipher), `${path}.${cipher}`, ['keys']));
  const names = new Set<string>();
  const made = listOf(keys, `${path}.${cipher}.keys`).map((key, i) => {
    const named = keyOf(key, `${path}.${cipher}.keys[${i}]`, KEY_BYTES[cipher]);
    if (names.has(named.name))
      throw new EncryptionConfigError(`${path}.${cipher}.keys[${i}].name: ${named.name} is there twice`);
    names.add(named.name);
    return sealOf(cipher, named, reading.makers.random);
  });
  if (made.length === 0) throw new EncryptionConfigError(`${path}.${cipher}.keys: must have at least one key`);
  return made;
}

const TIMEOUT_DEFAULT = '3s';

/** A key service of KMS v2; upstream has v1 switched off too. */
function serviceSeal(value: unknown, path: string, { makers, services }: Reading): Seal {
  const kms = fieldsOf(value, path, ['apiVersion', 'name', 'endpoint', 'timeout', 'cachesize']);
  const version = kms.get('apiVersion') ?? 'v1';
  if (version === 'v1') {
    throw new EncryptionConfigError(
      `${path}.apiVersion: KMSv1 is deprecated and will only receive security updates going forward. Use KMSv2 instead.`,
    );
  }
  if (version !== 'v2') {
    throw new EncryptionConfigError(
      `${path}.apiVersion: unsupported apiVersion ${typeof version === 'string' ? version : JSON.stringify(version)} for KMS provider, only v1 and v2 are supported`,
    );
  }
  if (kms.has('cachesize')) throw new EncryptionConfigError(`${path}.cachesize: cachesize is not supported in v2`);
  const name = kms.get('name');
  if (typeof name !== 'string' || name === '')
    throw new EncryptionConfigError(`${path}.name: name is a mandatory field for a provider`);
  if (name.includes(':'))
    throw new EncryptionConfigError(`${path}.name: invalid KMS provider name ${name}, must not contain ':'`);
  if (services.has(name))
    throw new EncryptionConfigError(`${path}.name: duplicate KMS provider name ${name}, names must be unique`);
  services.add(name);
  if (makers.envelope === undefined) throw new EncryptionConfigError(`${path}: there are no key services here`);
  const settings = {
    name,
    endpoint: endpointOf(kms.get('endpoint'), path),
    timeoutMs: timeoutOf(kms.get('timeout'), path),
  };
  return makers.envelope(settings);
}

function endpointOf(value: unknown, path: string): string {
  if (typeof value !== 'string' || value === '')
    throw new EncryptionConfigError(`${path}.endpoint: endpoint is a mandatory field for a kms`);
  const scheme = /^([a-z][-+.a-z0-9]*):/i.exec(value)?.[1] ?? '';
  if (scheme !== 'unix')
    throw new EncryptionConfigError(
      `${path}.endpoint: unsupported scheme ${JSON.stringify(scheme)} for KMS provider, only unix is supported`,
    );
  return value;
}

function timeoutOf(value: unknown, path: string): number {
  const text = value ?? TIMEOUT_DEFAULT;
  if (typeof text !== 'string') throw new EncryptionConfigError(`${path}.timeout: must be a duration such as 3s`);
  const ms = parseGoDuration(text, (message) => {
    throw new EncryptionConfigError(`${path}.timeout: ${message}`);
  });
  if (ms <= 0) throw new EncryptionConfigError(`${path}.timeout: timeout should be a positive value`);
  return ms;
}

function keyOf(value: unknown, path: string, sizes: readonly number[]): NamedKey {
  const key = fieldsOf(value, path, ['name', 'secret']);
  const [name, secret] = [key.get('name'), key.get('secret')];
  if (typeof name !== 'string' || name === '' || name.includes(':')) {
    throw new EncryptionConfigError(`${path}.name: must be a name without a colon`);
  }
  // The secret itself is never part of a message.
  if (typeof secret !== 'string' || !BASE64.test(secret)) {
    throw new EncryptionConfigError(`${path}.secret: must be base64 encoded`);
  }
  const bytes = base64ToBytes(secret);
  if (!sizes.includes(bytes.length)) {
    throw new EncryptionConfigError(`${path}.secret: has ${bytes.length} bytes, must have ${sizes.join(', ')}`);
  }
  return { name, secret: bytes };
}

function fieldsOf(value: unknown, path: string, known: readonly string[]): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new EncryptionConfigError(`${path === '' ? KIND : path}: must be an object`);
  }
  const fields = new Map<string, unknown>(Object.entries(value));
  for (const name of fields.keys()) {
    if (!known.includes(name))
      throw new EncryptionConfigError(`unknown field ${JSON.stringify(path === '' ? name : `${path}.${name}`)}`);
  }
  return fields;
}

function listOf(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new EncryptionConfigError(`${path}: must be a list`);
  return value as readonly unknown[];
}
