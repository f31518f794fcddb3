/** Programs of the node that know who may pull what: asked per image, their answers kept as long as they say. */
import { type Clock, type Logger, messageOf, parseGoDuration } from '@binnacle/base';
import { type RegistryAuth, repositoryOf } from '@binnacle/runtime';
import { ProviderAnswerError } from '../errors.ts';
import { entriesFor, isMeantFor } from './registry-place.ts';

/** One program, as CredentialProviderConfig (kubelet.config.k8s.io/v1) has it. */
export interface CredentialProvider {
  /** Of the program, in the folder of such programs. */
  readonly name: string;
  /** Images that it is asked about: `*.example.com/team`. */
  readonly matchImages: readonly string[];
  readonly defaultCacheMs: number;
  readonly args: readonly string[];
  readonly env: { readonly [name: string]: string };
}

/** What programs there are, and how they are run. */
export interface CredentialProvidersOptions {
  readonly providers: readonly CredentialProvider[];
  /** Runs a program with that input; answers with its output. Throws where it fails or takes too long. */
  readonly run: (provider: CredentialProvider, input: string) => Promise<string>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Answers with what to try for an image; none is no error: the pull tells. */
export type ImageCredentials = (image: string) => Promise<readonly RegistryAuth[]>;

interface Kept {
  readonly until: number;
  readonly auth: { readonly [place: string]: RegistryAuth };
}

interface Response {
  readonly apiVersion?: unknown;
  readonly kind?: unknown;
  readonly cacheKeyType?: unknown;
  readonly cacheDuration?: unknown;
  readonly auth?: unknown;
}

const API_VERSION = 'credentialprovider.kubelet.k8s.io/v1';
const KEPT_MAX = 1_000;

/** Programs whose images are others' are not asked. Those that fail are told of, and count as knowing nothing. */
export function createImageCredentials(options: CredentialProvidersOptions): ImageCredentials {
  const kept = new Map<string, Kept>();
  const asking = new Map<string, Promise<Kept['auth']>>();
  const { clock, log } = options;
  const ask = async (provider: CredentialProvider, image: string): Promise<Kept['auth']> => {
    const request = { apiVersion: API_VERSION, kind: 'CredentialProviderRequest', image };
    const answer = readAnswer(await options.run(provider, JSON.stringify(request)), provider);
    if (answer.keepMs > 0) {
      const oldest = kept.size >= KEPT_MAX ? kept.keys().next().value : undefined;
      if (oldest !== undefined) kept.delete(oldest);
      const key = keyOf(provider, answer.keyType, image);
      kept.set(key, { until: clock.monotonic() + answer.keepMs, auth: answer.auth });
    }
    return answer.auth;
  };
  /** Pods that want an image at once ask once. */
  const shared = (provider: CredentialProvider, image: string): Promise<Kept['auth']> => {
    const key = keyOf(provider, 'Image', image);
    const running = asking.get(key) ?? ask(provider, image).finally(() => asking.delete(key));
    asking.set(key, running);
    return running;
  };
  const known = (provider: CredentialProvider, image: string): Kept['auth'] | undefined => {
    for (const type of KEY_TYPES) {
      const found = kept.get(keyOf(provider, type, image));
      if (found !== undefined && found.until > clock.monotonic()) return found.auth;
    }
    return undefined;
  };
  return async (image) => {
    // As upstream's, programs are asked about repositories: a tag opens nothing.
    const name = repositoryOf(image);
    const found: { readonly place: string; readonly auth: RegistryAuth }[] = [];
    for (const provider of options.providers) {
      if (!provider.matchImages.some((place) => isMeantFor(place, name))) continue;
      try {
        const auth = known(provider, name) ?? (await shared(provider, name));
        for (const [place, one] of Object.entries(auth)) found.push({ place, auth: one });
      } catch (error) {
        log.error(error, 'A credential provider failed', { provider: provider.name, image, reason: messageOf(error) });
      }
    }
    return entriesFor(found, name).map(({ auth }) => auth);
  };
}

const KEY_TYPES = ['Image', 'Registry', 'Global'] as const;

function keyOf({ name }: CredentialProvider, type: (typeof KEY_TYPES)[number], image: string): string {
  const of = { Image: image, Registry: image.split('/', 1)[0] ?? '', Global: '' }[type];
  return `${name} ${type} ${of}`;
}

function readAnswer(
  text: string,
  provider: CredentialProvider,
): { readonly auth: Kept['auth']; readonly keyType: (typeof KEY_TYPES)[number]; readonly keepMs: number } {
  const response = JSON.parse(text) as Response | null;
  if (response?.apiVersion !== API_VERSION || response.kind !== 'CredentialProviderResponse')
    throw new ProviderAnswerError(provider.name, `it is no CredentialProviderResponse of ${API_VERSION}`);
  const keyType = KEY_TYPES.find((type) => type === response.cacheKeyType);
  if (keyType === undefined)
    throw new ProviderAnswerError(provider.name, 'cacheKeyType is none of Image, Registry, Global');
  const { cacheDuration: duration, auth } = response;
  const entries = typeof auth === 'object' && auth !== null ? Object.entries(auth) : [];
  return {
    keyType,
    keepMs: typeof duration === 'string' ? durationMs(duration, provider) : provider.defaultCacheMs,
    auth: Object.fromEntries(entries.flatMap(([place, one]) => (isAuth(one) ? [[place, one]] : []))),
  };
}

function isAuth(value: unknown): value is RegistryAuth {
  const { username, password } = (value ?? {}) as { readonly username?: unknown; readonly password?: unknown };
  return typeof username === 'string' && typeof password === 'string';
}

function durationMs(text: string, provider: CredentialProvider): number {
  return parseGoDuration(text, (message) => {
    throw new ProviderAnswerError(provider.name, `cacheDuration: ${message}`);
  });
}
