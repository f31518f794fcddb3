import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { TransportError } from '../errors.ts';
import type { HttpWireOptions } from './http-wire.ts';

/** What a context of a kubeconfig says. */
export interface LoadedKubeconfig {
  readonly wire: HttpWireOptions;
  /** The context's namespace; `default` when it names none. */
  readonly namespace: string;
  readonly context: string;
}

interface Named<K extends string, T> {
  readonly name: string;
  readonly value: { readonly [key in K]: T };
}

interface Cluster {
  readonly server?: string;
  readonly 'certificate-authority'?: string;
  readonly 'certificate-authority-data'?: string;
  readonly 'insecure-skip-tls-verify'?: boolean;
  readonly 'tls-server-name'?: string;
}

interface User {
  readonly 'client-certificate'?: string;
  readonly 'client-certificate-data'?: string;
  readonly 'client-key'?: string;
  readonly 'client-key-data'?: string;
  readonly token?: string;
  readonly tokenFile?: string;
  readonly exec?: unknown;
  readonly username?: string;
}

interface Context {
  readonly cluster?: string;
  readonly user?: string;
  readonly namespace?: string;
}

interface Kubeconfig {
  readonly 'current-context'?: string;
  readonly clusters?: readonly ({ readonly name: string } & Named<'cluster', Cluster>['value'])[];
  readonly users?: readonly ({ readonly name: string } & Named<'user', User>['value'])[];
  readonly contexts?: readonly ({ readonly name: string } & Named<'context', Context>['value'])[];
}

/**
 * Reads a kubeconfig, from a path or (when it contains a newline) from the text itself. Files that one on disk names
 * are relative to it; a text may come from anybody, and may name none. Throws TransportError with fault `kubeconfig` for what is missing or not supported (exec, basic auth).
 */
export async function loadKubeconfig(source: string, contextName?: string): Promise<LoadedKubeconfig> {
  const isText = source.includes('\n');
  const text = isText ? source : await read(source);
  const config = await parse(text);
  const name = contextName ?? config['current-context'] ?? '';
  const context = config.contexts?.find((one) => one.name === name)?.context;
  if (context === undefined) throw wrong(name === '' ? 'it names no current context' : `no context "${name}"`);
  const cluster = config.clusters?.find((one) => one.name === context.cluster)?.cluster;
  if (cluster?.server === undefined) throw wrong(`no cluster "${context.cluster ?? ''}"`);
  const user = config.users?.find((one) => one.name === context.user)?.user ?? {};
  if (user.exec !== undefined || user.username !== undefined) {
    throw wrong(`user "${context.user}": only certificates and tokens are supported`);
  }
  const base = isText ? undefined : dirname(source);
  return {
    wire: { ...(await clusterOptions(cluster, base)), ...(await userOptions(user, base)) },
    namespace: context.namespace ?? 'default',
    context: name,
  };
}

/** The folder of a kubeconfig; undefined: it is none that lies on disk. */
type Base = string | undefined;

async function parse(text: string): Promise<Kubeconfig> {
  // On first use only: most processes never read YAML.
  const { readYaml } = await import('@binnacle/machinery/yaml');
  try {
    const { value } = readYaml(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch (cause) {
    throw wrong('not YAML', cause);
  }
}

async function clusterOptions(cluster: Cluster, base: Base): Promise<HttpWireOptions> {
  const ca = await pem(cluster['certificate-authority-data'], cluster['certificate-authority'], base);
  return {
    server: (cluster.server ?? '').replace(/\/+$/, ''),
    ...(ca === undefined ? {} : { ca }),
    ...(cluster['insecure-skip-tls-verify'] === true ? { insecureSkipTlsVerify: true } : {}),
    ...(cluster['tls-server-name'] === undefined ? {} : { tlsServerName: cluster['tls-server-name'] }),
  };
}

async function userOptions(user: User, base: Base): Promise<Partial<HttpWireOptions>> {
  const cert = await pem(user['client-certificate-data'], user['client-certificate'], base);
  const key = await pem(user['client-key-data'], user['client-key'], base);
  return {
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(user.token === undefined ? {} : { token: user.token }),
    ...(user.tokenFile === undefined ? {} : { tokenFile: fileOf(user.tokenFile, base) }),
  };
}

async function pem(data: string | undefined, path: string | undefined, base: Base): Promise<string | undefined> {
  if (data !== undefined && data !== '') return Buffer.from(data, 'base64').toString('utf8');
  return path === undefined || path === '' ? undefined : read(fileOf(path, base));
}

function fileOf(path: string, base: Base): string {
  if (base === undefined) throw wrong(`the file ${path} is not read: what is needed must stand in the text itself`);
  return resolve(base, path);
}

async function read(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw wrong(`cannot read ${path}`, cause);
  }
}

function wrong(what: string, cause?: unknown): TransportError {
  return new TransportError('kubeconfig', `kubeconfig: ${what}`, { cause });
}
