import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { TransportError } from '../errors.ts';
import type { ExecConfig } from './exec-credential.ts';

/** A cluster of a kubeconfig. */
export interface Cluster {
  readonly server?: string;
  readonly 'certificate-authority'?: string;
  readonly 'certificate-authority-data'?: string;
  readonly 'insecure-skip-tls-verify'?: boolean;
  readonly 'tls-server-name'?: string;
  readonly 'proxy-url'?: string;
  readonly extensions?: readonly ({ readonly name?: string; readonly extension?: unknown } | null)[];
}

/** A user of a kubeconfig. */
export interface User {
  readonly 'client-certificate'?: string;
  readonly 'client-certificate-data'?: string;
  readonly 'client-key'?: string;
  readonly 'client-key-data'?: string;
  readonly token?: string;
  readonly tokenFile?: string;
  readonly as?: string;
  readonly 'as-uid'?: string;
  readonly 'as-groups'?: readonly string[];
  readonly 'as-user-extra'?: { readonly [key: string]: readonly string[] | null };
  readonly exec?: ExecConfig;
  readonly username?: string;
  readonly password?: string;
  readonly 'auth-provider'?: unknown;
}

/** A context of a kubeconfig. */
export interface Context {
  readonly cluster?: string;
  readonly user?: string;
  readonly namespace?: string;
}

/** Something of a kubeconfig, and the folder of the file that it is in; undefined: it is a text of no file. */
export interface Placed<T> {
  readonly value: T;
  readonly base: string | undefined;
}

/** Several kubeconfigs as one. */
export interface Merged {
  readonly currentContext: string;
  readonly contexts: ReadonlyMap<string, Placed<Context>>;
  readonly clusters: ReadonlyMap<string, Placed<Cluster>>;
  readonly users: ReadonlyMap<string, Placed<User>>;
}

type Members = { readonly [name: string]: unknown };

/**
 * Reads kubeconfigs, each a path or (when it contains a newline) the text itself, as kubectl reads those of $KUBECONFIG: who says
 * something first is right, and of several files some may not be there. Throws TransportError with fault `kubeconfig`.
 */
export async function readKubeconfigs(sources: readonly string[]): Promise<Merged> {
  const merged = {
    currentContext: '',
    contexts: new Map<string, Placed<Context>>(),
    clusters: new Map<string, Placed<Cluster>>(),
    users: new Map<string, Placed<User>>(),
  };
  let read = 0;
  for (const source of sources) {
    const isText = source.includes('\n');
    const text = isText ? source : await textOf(source, sources.length > 1);
    if (text === undefined) continue;
    read++;
    const config = await parse(text);
    const base = isText ? undefined : dirname(resolve(source));
    if (merged.currentContext === '' && typeof config['current-context'] === 'string')
      merged.currentContext = config['current-context'];
    add(merged.contexts, config['contexts'], { member: 'context', shapes: CONTEXT, base });
    add(merged.clusters, config['clusters'], { member: 'cluster', shapes: CLUSTER, base });
    add(merged.users, config['users'], { member: 'user', shapes: USER, base });
  }
  if (read === 0) throw wrong(`cannot read any of ${sources.join(', ')}`);
  return merged;
}

type Shape = 'a text' | 'true or false' | 'a list of texts' | 'lists of texts' | 'a list' | 'an object';
type Shapes<T> = { readonly [name in keyof T]-?: Shape };

const CONTEXT: Shapes<Context> = { cluster: 'a text', user: 'a text', namespace: 'a text' };
const CLUSTER: Shapes<Cluster> = {
  server: 'a text',
  'certificate-authority': 'a text',
  'certificate-authority-data': 'a text',
  'insecure-skip-tls-verify': 'true or false',
  'tls-server-name': 'a text',
  'proxy-url': 'a text',
  extensions: 'a list',
};
const USER: Shapes<User> = {
  'client-certificate': 'a text',
  'client-certificate-data': 'a text',
  'client-key': 'a text',
  'client-key-data': 'a text',
  token: 'a text',
  tokenFile: 'a text',
  as: 'a text',
  'as-uid': 'a text',
  'as-groups': 'a list of texts',
  'as-user-extra': 'lists of texts',
  exec: 'an object',
  username: 'a text',
  password: 'a text',
  'auth-provider': 'an object',
};

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}

const FITS: { readonly [shape in Shape]: (value: unknown) => boolean } = {
  'a text': isText,
  'true or false': (value) => typeof value === 'boolean',
  'a list of texts': isTexts,
  'lists of texts': (value) => isObject(value) && Object.values(value).every((one) => one === null || isTexts(one)),
  'a list': (value) => Array.isArray(value) && value.every((one) => one === null || isObject(one)),
  'an object': isObject,
};

interface Part<T> {
  /** What holds it beside its name. */
  readonly member: string;
  readonly shapes: Shapes<T>;
  readonly base: string | undefined;
}

function add<T>(known: Map<string, Placed<T>>, list: unknown, { member, shapes, base }: Part<T>): void {
  for (const one of Array.isArray(list) ? (list as readonly unknown[]) : []) {
    const { name, [member]: value } = (one ?? {}) as Members;
    if (typeof name !== 'string') continue;
    const read = membersOf(value ?? {}, shapes, `${member} ${JSON.stringify(name)}`);
    if (!known.has(name)) known.set(name, { value: read as T, base });
  }
}

/** What it says, `null` being nothing; what is not known is passed over. Throws by name for a value of another type. */
function membersOf<T>(value: unknown, shapes: Shapes<T>, what: string): Partial<T> {
  if (!isObject(value)) throw wrong(`${what}: expected an object`);
  const said = value as Members;
  const names = (Object.keys(shapes) as (keyof T & string)[]).filter((name) => (said[name] ?? null) !== null);
  for (const name of names) {
    if (!FITS[shapes[name]](said[name])) throw wrong(`${what}: ${name}: expected ${shapes[name]}`);
  }
  return Object.fromEntries(names.map((name) => [name, said[name]])) as Partial<T>;
}

async function parse(text: string): Promise<Members> {
  // On first use only: most processes never read YAML.
  const { readYaml } = await import('@binnacle/machinery/yaml');
  try {
    const { value } = readYaml(text);
    return typeof value === 'object' && value !== null ? (value as Members) : {};
  } catch (cause) {
    throw wrong('not YAML', cause);
  }
}

/** Undefined: it is not there, and may be missing. */
async function textOf(path: string, mayMiss: boolean): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    if (mayMiss && (cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw wrong(`cannot read ${path}`, cause);
  }
}

/** A PEM text: given as base64, or in a file. */
export async function pemOf(
  data: string | undefined,
  path: string | undefined,
  base: string | undefined,
): Promise<string | undefined> {
  if (data !== undefined && data !== '') return Buffer.from(data, 'base64').toString('utf8');
  return path === undefined || path === '' ? undefined : textOf(fileOf(path, base), false);
}

/** The path of a file that a kubeconfig names. Throws for one that a text of no file names: it may come from anybody. */
export function fileOf(path: string, base: string | undefined): string {
  if (base === undefined) throw wrong(`the file ${path} is not read: what is needed must stand in the text itself`);
  return resolve(base, path);
}

/** What is wrong with a kubeconfig. */
export function wrong(what: string, cause?: unknown): TransportError {
  return new TransportError('kubeconfig', `kubeconfig: ${what}`, { cause });
}
