import { base64ToBytes } from '@binnacle/base';
/** Which credentials of a pod's secrets are for the registry of an image. Pure. */
import type { Secret } from '@binnacle/api/core/v1';
import { type RegistryAuth, repositoryOf } from '@binnacle/runtime';
import { entriesFor } from './registry-place.ts';

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

/** The credentials to try, those for the longest matching path first. What cannot be read is no credential. */
export function credentialsFor(image: string, secrets: readonly Secret[]): readonly PodCredential[] {
  return entriesFor(secrets.flatMap(entriesOf), repositoryOf(image)).map(({ auth, secret }) =>
    secret === undefined ? { auth } : { auth, secret },
  );
}

/** Secrets of other types are nobody's credentials, whatever stands in them. */
function entriesOf({ metadata, type, data = {} }: Secret): Found[] {
  let table: unknown;
  if (type === 'kubernetes.io/dockerconfigjson')
    table = (decoded(data['.dockerconfigjson']) as { readonly auths?: unknown } | undefined)?.auths;
  else if (type === 'kubernetes.io/dockercfg') table = decoded(data['.dockercfg']);
  if (typeof table !== 'object' || table === null) return [];
  const { uid = '', namespace = '', name = '' } = metadata;
  return Object.entries(table as { readonly [place: string]: unknown }).flatMap(([place, entry]) => {
    const auth = typeof entry === 'object' && entry !== null ? authOf(entry) : undefined;
    return auth === undefined ? [] : [{ place, auth, secret: { uid, namespace, name } }];
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
