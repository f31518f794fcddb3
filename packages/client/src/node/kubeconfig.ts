import { realClock } from '@binnacle/base/node';
import { environmentProxy } from './environment-proxy.ts';
import type { Environment, EnvironmentProxy } from './environment-proxy.ts';
import { execCredentials } from './exec-credential.ts';
import type { CredentialSource, ProgramWorld } from './exec-credential.ts';
import { isHeaderText } from './exchange.ts';
import type { HttpWireOptions } from './http-wire.ts';
import { fileOf, pemOf, readKubeconfigs, wrong } from './kubeconfig-files.ts';
import type { Cluster, Merged, Placed, User } from './kubeconfig-files.ts';

/** What a context of a kubeconfig says. */
export interface LoadedKubeconfig {
  readonly wire: HttpWireOptions;
  /** The context's namespace; `default` when it names none. */
  readonly namespace: string;
  readonly context: string;
}

/** How a kubeconfig is read. */
export interface KubeconfigOptions {
  /** In place of the current context. */
  readonly context?: string | undefined;
  /** What credential programs (`exec`) are run with; absent: none is run, and who needs one is refused. */
  readonly programs?: ProgramWorld;
  /** Whose HTTPS_PROXY and NO_PROXY count where the cluster names no proxy of its own; absent: nobody's. */
  readonly env?: Environment;
}

/** By this name a cluster keeps what its credential program is told. */
const EXEC_EXTENSION = 'client.authentication.k8s.io/exec';

/**
 * Reads a kubeconfig, or several as kubectl reads those of $KUBECONFIG: paths, or (when one contains a newline) the text itself.
 * Files that one on disk names are relative to it; a text may come from anybody, may name none and runs no program. Throws
 * TransportError with fault `kubeconfig` for what is missing or not supported (basic auth, auth providers).
 */
export async function loadKubeconfig(
  sources: string | readonly string[],
  options: KubeconfigOptions = {},
): Promise<LoadedKubeconfig> {
  const merged = await readKubeconfigs(typeof sources === 'string' ? [sources] : sources);
  const name = options.context ?? merged.currentContext;
  const context = merged.contexts.get(name)?.value;
  if (context === undefined) throw wrong(name === '' ? 'it names no current context' : `no context "${name}"`);
  const { namespace = '' } = context;
  const cluster = merged.clusters.get(context.cluster ?? '');
  if (cluster?.value.server === undefined) throw wrong(`no cluster "${context.cluster ?? ''}"`);
  const user = userOf(merged, context.user ?? '');
  const endpoint = await clusterOptions(cluster);
  const own = await userOptions(user);
  const credentials = programOf({ user, cluster, endpoint, own, programs: options.programs });
  const through = endpoint.proxyUrl === undefined ? environmentProxyOf(options.env, endpoint.server) : {};
  return {
    wire: { ...endpoint, ...through, ...own, ...(credentials === undefined ? {} : { credentials }) },
    namespace: namespace === '' ? 'default' : namespace,
    context: name,
  };
}

/** Throws by name for what is not supported. */
function userOf({ users }: Merged, name: string): Placed<User> {
  const found = users.get(name);
  if (found === undefined && name !== '') throw wrong(`no user "${name}"`);
  const user = found ?? { value: {}, base: undefined };
  const { username, password, 'auth-provider': provider } = user.value;
  if (provider !== undefined && provider !== null) {
    throw wrong(`user "${name}": auth-provider is not supported, as kubectl has it no more: use exec`);
  }
  if ((username ?? '') !== '' || (password ?? '') !== '') {
    throw wrong(`user "${name}": username and password are not supported: only certificates, tokens and exec are`);
  }
  return user;
}

async function clusterOptions({ value: cluster, base }: Placed<Cluster>): Promise<HttpWireOptions> {
  const ca = await pemOf(cluster['certificate-authority-data'], cluster['certificate-authority'], base);
  const { server = '', 'insecure-skip-tls-verify': insecure, 'tls-server-name': name = '' } = cluster;
  if (!URL.canParse(server) || !/^https?:/.test(server))
    throw wrong(`server ${JSON.stringify(server)} is no URL of https`);
  if (insecure === true && ca !== undefined) {
    throw wrong('insecure-skip-tls-verify beside a certificate-authority: one of them counts, and nobody knows which');
  }
  return {
    server: server.replace(/\/+$/, ''),
    ...(ca === undefined ? {} : { ca }),
    ...(insecure === true ? { insecureSkipTlsVerify: true } : {}),
    ...(name === '' ? {} : { tlsServerName: name }),
    ...proxyOf(cluster),
  };
}

function proxyOf({ server = '', 'proxy-url': proxy = '' }: Cluster): Pick<HttpWireOptions, 'proxyUrl'> {
  return proxy === '' ? {} : proxyTo(server, { variable: 'proxy-url', url: proxy });
}

/** The proxy that the environment names for a server. Throws TransportError for one of a sort that is not supported. */
export function environmentProxyOf(env: Environment | undefined, server: string): Pick<HttpWireOptions, 'proxyUrl'> {
  const found = env === undefined ? undefined : environmentProxy(env, server);
  return found === undefined ? {} : proxyTo(server, found);
}

function proxyTo(server: string, { variable, url }: EnvironmentProxy): Pick<HttpWireOptions, 'proxyUrl'> {
  const protocol = URL.canParse(url) ? new URL(url).protocol : '';
  if (protocol !== 'http:') {
    throw wrong(`${variable}: ${protocol === '' ? 'it is no URL' : `${protocol}// is not supported`}: http:// is`);
  }
  if (!server.startsWith('https:')) throw wrong(`${variable}: only servers of https are reached through a proxy`);
  return { proxyUrl: url };
}

async function userOptions({ value: user, base }: Placed<User>): Promise<Partial<HttpWireOptions>> {
  const cert = await pemOf(user['client-certificate-data'], user['client-certificate'], base);
  const key = await pemOf(user['client-key-data'], user['client-key'], base);
  const { token = '', tokenFile = '' } = user;
  const impersonate = impersonationOf(user);
  return {
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(token === '' ? {} : { token }),
    ...(tokenFile === '' ? {} : { tokenFile: fileOf(tokenFile, base) }),
    ...(Object.keys(impersonate).length === 0 ? {} : { impersonate }),
  };
}

function impersonationOf(user: User): { readonly [header: string]: string | readonly string[] } {
  const { as = '', 'as-uid': uid = '', 'as-groups': groups, 'as-user-extra': extra } = user;
  const headers = {
    ...(as === '' ? {} : { 'impersonate-user': as }),
    ...(uid === '' ? {} : { 'impersonate-uid': uid }),
    ...((groups ?? []).length === 0 ? {} : { 'impersonate-group': groups ?? [] }),
    ...Object.fromEntries(
      Object.entries(extra ?? {}).map(([key, values]) => [`impersonate-extra-${headerKey(key)}`, values ?? []]),
    ),
  };
  if (as === '' && Object.keys(headers).length > 0) throw wrong('as-uid, as-groups and as-user-extra need an as');
  for (const value of Object.values(headers).flat()) {
    if (!isHeaderText(value)) throw wrong('as…: not what a header can say');
  }
  return headers;
}

/** A key of extra as the name of a header: what cannot stand in one is escaped. */
function headerKey(key: string): string {
  return encodeURIComponent(key.toLowerCase()).replace(/[()]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`);
}

interface ProgramPlace {
  readonly user: Placed<User>;
  readonly cluster: Placed<Cluster>;
  readonly endpoint: HttpWireOptions;
  readonly own: Partial<HttpWireOptions>;
  readonly programs: ProgramWorld | undefined;
}

/** Undefined: none is asked. As upstream's clients have it, what the user has of his own comes first. */
function programOf({ user, cluster, endpoint, own, programs }: ProgramPlace): CredentialSource | undefined {
  const { exec } = user.value;
  if (exec === undefined) return undefined;
  const { token, tokenFile, cert, key } = own;
  const isNeeded = token === undefined && tokenFile === undefined && (cert === undefined || key === undefined);
  if (programs === undefined || user.base === undefined) {
    if (!isNeeded) return undefined;
    throw wrong('exec: no program is run here: only certificates and tokens are supported');
  }
  const { ca, server, tlsServerName, insecureSkipTlsVerify, proxyUrl } = endpoint;
  const config = cluster.value.extensions?.find((one) => one?.name === EXEC_EXTENSION)?.extension;
  const credentials = execCredentials({
    exec,
    base: user.base,
    world: programs,
    clock: realClock,
    cluster: {
      server,
      ...(tlsServerName === undefined ? {} : { 'tls-server-name': tlsServerName }),
      ...(insecureSkipTlsVerify === undefined ? {} : { 'insecure-skip-tls-verify': true }),
      ...(ca === undefined ? {} : { 'certificate-authority-data': Buffer.from(ca).toString('base64') }),
      ...(proxyUrl === undefined ? {} : { 'proxy-url': proxyUrl }),
      ...(config === undefined ? {} : { config }),
    },
  });
  return isNeeded ? credentials : undefined;
}
