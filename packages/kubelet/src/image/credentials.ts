import { base64ToBytes } from '@binnacle/base';
/** Which credentials of a pod's secrets are for the registry of an image. Pure. */
import type { Secret } from '@binnacle/api/core/v1';
import { type RegistryAuth, normalizeImageName } from '@binnacle/runtime';

/** One entry of a docker configuration. */
interface Entry {
  readonly auth?: unknown;
  readonly username?: unknown;
  readonly password?: unknown;
  readonly identitytoken?: unknown;
  readonly registrytoken?: unknown;
}

/** What may open a registry, and the secret of the pod's that it stands in; absent: the node itself knows it. */
export interface PodCredential {
  readonly auth: RegistryAuth;
  readonly secret?: { readonly uid: string; readonly namespace: string; readonly name: string };
}

interface Found extends PodCredential {
  readonly place: string;
}

/** Docker Hub under the names that configurations give it. */
const HUB = new Set(['index.docker.io', 'registry-1.docker.io', 'docker.io']);

/** The credentials to try, those for the longest matching path first. What cannot be read is no credential. */
export function credentialsFor(image: string, secrets: readonly Secret[]): readonly PodCredential[] {
  const wanted = normalizeImageName(image);
  return secrets
    .flatMap(entriesOf)
    .filter(({ place }) => isFor(place, wanted))
    .toSorted((a, b) => b.place.length - a.place.length)
    .map(({ auth, secret }) => (secret === undefined ? { auth } : { auth, secret }));
}

function entriesOf({ metadata, data = {} }: Secret): Found[] {
  const config = decoded(data['.dockerconfigjson']);
  const table = config === undefined ? decoded(data['.dockercfg']) : (config as { auths?: unknown }).auths;
  if (typeof table !== 'object' || table === null) return [];
  const { uid = '', namespace = '', name = '' } = metadata;
  return Object.entries(table as { readonly [place: string]: unknown }).flatMap(([place, entry]) => {
    const auth = typeof entry === 'object' && entry !== null ? authOf(entry) : undefined;
    return auth === undefined ? [] : [{ place: placeOf(place), auth, secret: { uid, namespace, name } }];
  });
}

function decoded(base64: string | undefined): object | undefined {
  if (base64 === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(utf8(base64));
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function utf8(base64: string): string {
  return new TextDecoder().decode(base64ToBytes(base64));
}

function authOf({ auth, username, password, identitytoken, registrytoken }: Entry): RegistryAuth | undefined {
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  let [name, secret] = [text(username), text(password)];
  if (text(auth) !== '') {
    try {
      const pair = utf8(text(auth));
      const colon = pair.indexOf(':');
      if (colon !== -1) [name, secret] = [pair.slice(0, colon), pair.slice(colon + 1)];
    } catch {
      // Not base64: what stands beside it counts.
    }
  }
  const [identityToken, registryToken] = [text(identitytoken), text(registrytoken)];
  if (name === '' && identityToken === '' && registryToken === '') return undefined;
  return {
    username: name,
    password: secret,
    ...(identityToken === '' ? {} : { identityToken }),
    ...(registryToken === '' ? {} : { registryToken }),
  };
}

/** `https://index.docker.io/v1/` → `docker.io`: host and path, without what only says how it is spoken to. */
function placeOf(place: string): string {
  const bare = place
    .replace(/^https?:\/\//, '')
    .replace(/\/v[12]\/?$/, '')
    .replace(/\/+$/, '');
  const slash = bare.indexOf('/');
  const host = slash === -1 ? bare : bare.slice(0, slash);
  return (HUB.has(host) ? 'docker.io' : host) + (slash === -1 ? '' : bare.slice(slash));
}

/** Whether a place (`*.example.com/team`) is meant for an image, named in full. */
export function isForImage(place: string, image: string): boolean {
  return isFor(placeOf(place), image);
}

/** Host by its labels, where `*` is any one of them; then the path's beginning. */
function isFor(place: string, image: string): boolean {
  const [host, path] = split(place);
  const [wantedHost, wantedPath] = split(image);
  const [labels, wanted] = [host.split('.'), wantedHost.split('.')];
  if (labels.length !== wanted.length) return false;
  if (!labels.every((label, i) => matchesLabel(label, wanted[i] ?? ''))) return false;
  return path === '' || wantedPath === path || wantedPath.startsWith(`${path}/`) || wantedPath.startsWith(`${path}:`);
}

function matchesLabel(pattern: string, label: string): boolean {
  const star = pattern.indexOf('*');
  if (star === -1) return pattern === label;
  const [head, tail] = [pattern.slice(0, star), pattern.slice(star + 1)];
  return label.length >= head.length + tail.length && label.startsWith(head) && label.endsWith(tail);
}

function split(name: string): readonly [host: string, path: string] {
  const slash = name.indexOf('/');
  return slash === -1 ? [name, ''] : [name.slice(0, slash), name.slice(slash + 1)];
}
