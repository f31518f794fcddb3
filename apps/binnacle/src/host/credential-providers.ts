import { readFile } from 'node:fs/promises';
import type { CredentialPrograms } from '@binnacle/cluster/node/nodes';
import type { CredentialProvider } from '@binnacle/kubelet';
import { UsageError } from '../errors.ts';
import { parseDuration } from './duration.ts';

const CONFIG_VERSIONS = ['kubelet.config.k8s.io/v1'];
const PROVIDER_VERSION = 'credentialprovider.kubelet.k8s.io/v1';
const FIELDS = new Set(['name', 'matchImages', 'defaultCacheDuration', 'apiVersion', 'args', 'env']);

/** What the two flags together say; nothing where neither is given. Throws UsageError for what is not understood. */
export async function credentialProviders(flags: {
  readonly imageCredentialProviderConfig?: string;
  readonly imageCredentialProviderBinDir?: string;
}): Promise<{ readonly credentialProviders?: CredentialPrograms }> {
  const { imageCredentialProviderConfig: path, imageCredentialProviderBinDir: binDirectory } = flags;
  if (path === undefined && binDirectory === undefined) return {};
  if (path === undefined || binDirectory === undefined)
    throw new UsageError('--image-credential-provider-config and --image-credential-provider-bin-dir belong together');
  const providers = await readCredentialProviders(path);
  return { credentialProviders: { providers, binDirectory, environment: inherited() } };
}

/** Reads a CredentialProviderConfig. Throws UsageError. */
export async function readCredentialProviders(path: string): Promise<readonly CredentialProvider[]> {
  const { readYaml } = await import('@binnacle/machinery/yaml');
  const parsed = await readFile(path, 'utf8')
    .then((content) => readYaml(content).value as Fields | null)
    .catch((error: unknown) => {
      throw new UsageError(`cannot read the credential providers ${path}`, error);
    });
  if (parsed?.['kind'] !== 'CredentialProviderConfig' || !CONFIG_VERSIONS.includes(String(parsed['apiVersion'])))
    throw new UsageError(`${path}: expected kind CredentialProviderConfig of ${CONFIG_VERSIONS.join(', ')}`);
  const providers = list(parsed['providers']).map((one, i) => providerOf(`${path}: providers[${i}]`, one as Fields));
  if (providers.length === 0) throw new UsageError(`${path}: at least 1 provider is required`);
  const twice = providers.find(({ name }, i) => providers.findIndex((other) => other.name === name) !== i);
  if (twice !== undefined) throw new UsageError(`${path}: provider name ${twice.name} must be unique`);
  return providers;
}

interface Fields {
  readonly [field: string]: unknown;
}

function providerOf(place: string, one: Fields): CredentialProvider {
  const unknown = Object.keys(one).filter((field) => !FIELDS.has(field));
  if (unknown.length > 0) throw new UsageError(`${place}: fields that are not supported yet: ${unknown.join(', ')}`);
  const { name, apiVersion, matchImages, defaultCacheDuration, args, env } = one;
  if (typeof name !== 'string' || !/^[^/\s]+$/.test(name) || name === '.' || name === '..')
    throw new UsageError(`${place}: name is not that of a program in the folder`);
  if (apiVersion !== PROVIDER_VERSION) throw new UsageError(`${place}: apiVersion has to be ${PROVIDER_VERSION}`);
  const images = list(matchImages).map(String);
  if (images.length === 0) throw new UsageError(`${place}: at least 1 item in matchImages is required`);
  if (typeof defaultCacheDuration !== 'string') throw new UsageError(`${place}: defaultCacheDuration is required`);
  const variables = list(env) as readonly { readonly name?: unknown; readonly value?: unknown }[];
  return {
    name,
    matchImages: images,
    defaultCacheMs: parseDuration(defaultCacheDuration),
    args: list(args).map(String),
    env: Object.fromEntries(variables.map((variable) => [String(variable.name), String(variable.value)])),
  };
}

function list(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  throw new UsageError(`${JSON.stringify(value)} is no list`);
}

const INHERITED = ['PATH', 'HOME', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'];

/** As upstream's, programs find what the kubelet was started with: where programs are, and how the world is reached. */
function inherited(): { readonly [name: string]: string } {
  const entries = INHERITED.map((name) => [name, process.env[name]] as const);
  return Object.fromEntries(entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}
