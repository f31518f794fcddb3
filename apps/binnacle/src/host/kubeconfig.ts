import { existsSync, readFileSync } from 'node:fs';
import { messageOf } from '@binnacle/base';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { loadKubeconfig } from '@binnacle/client/node';
import type { LoadedKubeconfig } from '@binnacle/client/node';
import { UsageError } from '../errors.ts';
import { fileError, writePrivateFile } from './record-file.ts';

/** What a kubeconfig needs to reach a server as somebody; PEM texts. */
export interface Access {
  readonly server: string;
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

interface Named {
  name: string;
}
interface Kubeconfig {
  apiVersion: 'v1';
  kind: 'Config';
  clusters: (Named & { cluster: object })[];
  users: (Named & { user: object })[];
  contexts: (Named & { context: object })[];
  'current-context': string;
  [other: string]: unknown;
}

/** The files of $KUBECONFIG, or ~/.kube/config. */
function userKubeconfigPaths(): readonly string[] {
  const listed = (process.env['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '');
  return listed.length === 0 ? [join(homedir(), '.kube', 'config')] : [...new Set(listed)];
}

/** The first of them. */
export function userKubeconfigPath(): string {
  return userKubeconfigPaths()[0] ?? '';
}

/** The kubeconfig at a path (absent: the user's), as kubectl reads it; programs run with the environment of this process, whose proxies count. */
export function userKubeconfig(path?: string, context?: string): Promise<LoadedKubeconfig> {
  const programs = { env: process.env, isTerminal: process.stdin.isTTY, stderr: 2 };
  return loadKubeconfig(path ?? userKubeconfigPaths(), { context, programs, env: process.env });
}

function entries(name: string, access: Access): Kubeconfig {
  const encode = (pem: string): string => Buffer.from(pem).toString('base64');
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server: access.server, 'certificate-authority-data': encode(access.ca) } }],
    users: [
      {
        name,
        user: { 'client-certificate-data': encode(access.certificate), 'client-key-data': encode(access.key) },
      },
    ],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  };
}

function upsert<T extends Named>(list: unknown, entry: T): T[] {
  const kept = Array.isArray(list) ? (list as T[]).filter((e) => e.name !== entry.name) : [];
  return [...kept, entry];
}

/** A kubeconfig of its own, as YAML (JSON is YAML). */
export function renderKubeconfig(name: string, access: Access): string {
  return `${JSON.stringify(entries(name, access), null, 2)}\n`;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(messageOf(fileError('read', path, error)));
  }
}

/** Throws UsageError for a file that no context can be added to: asked before anything is begun. */
export async function refuseOddKubeconfig(path: string): Promise<void> {
  if (existsSync(path)) await readKubeconfig(path);
}

async function readKubeconfig(path: string): Promise<Partial<Kubeconfig>> {
  const { readYaml } = await import('@binnacle/machinery/yaml');
  const text = textOf(path);
  if (text.trim() === '') return {};
  try {
    const parsed = readYaml(text).value;
    if (typeof parsed === 'object' && parsed !== null) return parsed as Partial<Kubeconfig>;
  } catch (error) {
    throw new UsageError(`${path} is not a kubeconfig: ${(error as Error).message}`, error);
  }
  throw new UsageError(`${path} is not a kubeconfig`);
}

/** Adds or renews a context in a kubeconfig and makes it the current one; everything else in the file stays. */
export async function mergeKubeconfig(path: string, name: string, access: Access): Promise<void> {
  const wanted = entries(name, access);
  if (!existsSync(path)) {
    const { dump } = await import('js-yaml');
    writePrivateFile(path, dump(wanted));
    return;
  }
  const { dump } = await import('js-yaml');
  const old = await readKubeconfig(path);
  writePrivateFile(
    path,
    dump({
      ...old,
      apiVersion: 'v1',
      kind: 'Config',
      clusters: upsert(old.clusters, wanted.clusters[0] as Kubeconfig['clusters'][number]),
      users: upsert(old.users, wanted.users[0] as Kubeconfig['users'][number]),
      contexts: upsert(old.contexts, wanted.contexts[0] as Kubeconfig['contexts'][number]),
      'current-context': name,
    }),
  );
}

/** Takes a context with its cluster and user out of a kubeconfig. */
export async function removeFromKubeconfig(path: string, name: string): Promise<void> {
  if (!existsSync(path)) return;
  const old = await readKubeconfig(path);
  const without = (list: unknown): unknown[] =>
    Array.isArray(list) ? (list as Named[]).filter((e) => e.name !== name) : [];
  const { dump } = await import('js-yaml');
  writePrivateFile(
    path,
    dump({
      ...old,
      clusters: without(old.clusters),
      users: without(old.users),
      contexts: without(old.contexts),
      'current-context': old['current-context'] === name ? '' : (old['current-context'] ?? ''),
    }),
  );
}
