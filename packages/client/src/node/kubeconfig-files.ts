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
  readonly extensions?: readonly { readonly name?: string; readonly extension?: unknown }[];
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
  readonly 'as-user-extra'?: { readonly [key: string]: readonly string[] };
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
    add(merged.contexts, config['contexts'], { member: 'context', base });
    add(merged.clusters, config['clusters'], { member: 'cluster', base });
    add(merged.users, config['users'], { member: 'user', base });
  }
  if (read === 0) throw wrong(`cannot read any of ${sources.join(', ')}`);
  return merged;
}

function add<T>(
  known: Map<string, Placed<T>>,
  list: unknown,
  { member, base }: { readonly member: string; readonly base: string | undefined },
): void {
  for (const one of Array.isArray(list) ? (list as readonly unknown[]) : []) {
    const { name, [member]: value } = (one ?? {}) as Members;
    if (typeof name !== 'string' || known.has(name)) continue;
    known.set(name, { value: (typeof value === 'object' && value !== null ? value : {}) as T, base });
  }
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
