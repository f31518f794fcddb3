import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { AuthenticationConfigError, readAuthenticationFile, readStaticTokens } from '@binnacle/apiserver';
import type { AuthenticationChoice, AuthenticationSettings } from '@binnacle/apiserver';
import type { PolicyFiles } from '@binnacle/cluster/node/policy-files';
import { Option } from 'commander';
import type { Command } from 'commander';
import { UsageError } from '../errors.ts';
import { durationOption, switchOption } from './flag-options.ts';
import { readCertificates } from './kubelet-ca.ts';
import { webhookEndpoint } from './webhook-endpoint.ts';

/** The flags of authentication, by upstream's names. Durations in milliseconds. */
export interface AuthenticationFlags {
  readonly authenticationConfig?: string;
  readonly anonymousAuth?: boolean;
  readonly tokenAuthFile?: string;
  readonly enableBootstrapTokenAuth?: boolean;
  readonly authenticationTokenWebhookConfigFile?: string;
  readonly authenticationTokenWebhookVersion?: 'v1' | 'v1beta1';
  readonly authenticationTokenWebhookCacheTtl?: number;
  readonly oidcIssuerUrl?: string;
  readonly oidcClientId?: string;
  readonly oidcCaFile?: string;
  readonly oidcUsernameClaim?: string;
  readonly oidcUsernamePrefix?: string;
  readonly oidcGroupsClaim?: string;
  readonly oidcGroupsPrefix?: string;
  readonly oidcRequiredClaim?: readonly string[];
  readonly oidcSigningAlgs?: readonly string[];
}

const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512'];
/** Who signs our own tokens may not be an issuer of others'. */
const OWN_ISSUERS = ['https://kubernetes.default.svc.cluster.local'];

/** Adds them to a command. */
export function authenticationOptions(command: Command): Command {
  const list = (text: string, before: readonly string[] = []): string[] => [
    ...before,
    ...text.split(',').filter(Boolean),
  ];
  return command
    .option('--authentication-config <file>', 'AuthenticationConfiguration: issuers of tokens, anonymous callers')
    .addOption(switchOption('anonymous-auth', 'callers without credentials are system:anonymous (default: true)'))
    .option('--token-auth-file <file>', 'tokens: lines of token,user,uid,"group1,group2"')
    .addOption(switchOption('enable-bootstrap-token-auth', 'believe bootstrap tokens'))
    .option('--authentication-token-webhook-config-file <file>', 'kubeconfig of whoever is asked about tokens')
    .addOption(
      new Option('--authentication-token-webhook-version <version>', 'of its TokenReviews').choices(['v1', 'v1beta1']),
    )
    .addOption(durationOption('authentication-token-webhook-cache-ttl', 'how long its answers hold (default: 2m)'))
    .option('--oidc-issuer-url <url>', 'an OpenID Connect issuer whose tokens are believed')
    .option('--oidc-client-id <id>', 'who its tokens have to be for')
    .option('--oidc-ca-file <file>', "the issuer's authority (default: the system's)")
    .option('--oidc-username-claim <claim>', 'names the user (default: sub)')
    .option('--oidc-username-prefix <prefix>', 'before the name; - is none (default: the issuer and #, but for email)')
    .option('--oidc-groups-claim <claim>', 'names the groups')
    .option('--oidc-groups-prefix <prefix>', 'before the groups')
    .addOption(
      new Option('--oidc-required-claim <key=value>', 'a claim that tokens must have; may be repeated').argParser(list),
    )
    .addOption(new Option('--oidc-signing-algs <names>', 'of signatures (default: RS256)').argParser(list));
}

/** What the flags ask for, with the files that they name. Throws UsageError with the flag. */
export async function authenticationChoice(
  flags: AuthenticationFlags,
): Promise<{ readonly authentication: AuthenticationChoice; readonly file?: PolicyFiles['authentication'] }> {
  const { anonymousAuth, tokenAuthFile, enableBootstrapTokenAuth, authenticationTokenWebhookConfigFile: hook } = flags;
  const { jwt, anonymous, file } = await believed(flags);
  const staticTokens = tokenAuthFile === undefined ? undefined : await readTokens(tokenAuthFile);
  const cacheTtlMs = flags.authenticationTokenWebhookCacheTtl;
  const webhook =
    hook === undefined
      ? undefined
      : {
          endpoint: await webhookEndpoint('authentication-token-webhook-config-file', hook),
          version: flags.authenticationTokenWebhookVersion ?? 'v1beta1',
          ...(cacheTtlMs === undefined ? {} : { cacheTtlMs }),
        };
  if (anonymous !== undefined && anonymousAuth !== undefined) {
    throw new UsageError('--anonymous-auth: the authentication configuration says it already');
  }
  return {
    ...(file === undefined ? {} : { file }),
    authentication: {
      ...(jwt === undefined ? {} : { jwt }),
      anonymous: anonymous ?? { enabled: anonymousAuth ?? true },
      ...(staticTokens === undefined ? {} : { staticTokens }),
      ...(enableBootstrapTokenAuth === undefined ? {} : { bootstrapTokens: enableBootstrapTokenAuth }),
      ...(webhook === undefined ? {} : { webhook }),
    },
  };
}

interface Believed extends Partial<AuthenticationSettings> {
  /** Where it came from, for who follows it. */
  readonly file?: PolicyFiles['authentication'];
}

async function believed(flags: AuthenticationFlags): Promise<Believed> {
  const { authenticationConfig: path } = flags;
  const oidc = Object.keys(flags).filter((flag) => flag.startsWith('oidc'));
  if (path === undefined) return oidc.length === 0 ? {} : issuerOf(flags);
  if (oidc.length > 0) throw new UsageError('--authentication-config: cannot be used together with --oidc-* flags');
  const { readYaml } = await import('@binnacle/machinery/yaml');
  const read = (text: string): AuthenticationSettings => readAuthenticationFile(readYaml(text).value, OWN_ISSUERS);
  return understood('--authentication-config', path, (text) => {
    const first = read(text);
    return { ...first, file: { path, text, read: (later) => checkAnonymous(read(later), first) } };
  });
}

/** Who may come without credentials stays what it was at the start. Throws AuthenticationConfigError. */
function checkAnonymous(next: AuthenticationSettings, first: AuthenticationSettings): AuthenticationSettings {
  if (isDeepStrictEqual(next.anonymous, first.anonymous)) return next;
  throw new AuthenticationConfigError('anonymous: Forbidden: changed from initial configuration file');
}

/** The flags of one issuer are a configuration of one. */
function issuerOf(flags: AuthenticationFlags): AuthenticationSettings {
  const { oidcIssuerUrl: url = '', oidcClientId: client = '', oidcCaFile, oidcSigningAlgs = ['RS256'] } = flags;
  if (url === '' || client === '')
    throw new UsageError('--oidc-issuer-url and --oidc-client-id must be specified together');
  const unknown = oidcSigningAlgs.find((name) => !ALGORITHMS.includes(name));
  if (unknown !== undefined)
    throw new UsageError(`--oidc-signing-algs: unsupported signing alg: ${JSON.stringify(unknown)}`);
  const { oidcUsernameClaim: claim = 'sub', oidcGroupsClaim: groups } = flags;
  const ca = oidcCaFile === undefined ? undefined : readCertificates('--oidc-ca-file', oidcCaFile);
  const document = {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AuthenticationConfiguration',
    jwt: [
      {
        issuer: { url, audiences: [client], ...(ca === undefined ? {} : { certificateAuthority: ca }) },
        claimMappings: {
          username: { claim, prefix: usernamePrefix(flags, claim) },
          ...(groups === undefined ? {} : { groups: { claim: groups, prefix: flags.oidcGroupsPrefix ?? '' } }),
        },
        claimValidationRules: (flags.oidcRequiredClaim ?? []).map(requiredClaim),
      },
    ],
  };
  try {
    const { jwt } = readAuthenticationFile(document, OWN_ISSUERS);
    return { jwt: jwt.map((one) => ({ ...one, signingAlgorithms: oidcSigningAlgs })), anonymous: undefined };
  } catch (error) {
    if (error instanceof AuthenticationConfigError) throw new UsageError(`--oidc-*: ${error.message}`, error);
    throw error;
  }
}

/** Names of different issuers are different users, but for addresses, which are the same everywhere. */
function usernamePrefix(
  { oidcUsernamePrefix: prefix = '', oidcIssuerUrl = '' }: AuthenticationFlags,
  claim: string,
): string {
  if (prefix === '-') return '';
  return prefix === '' && claim !== 'email' ? `${oidcIssuerUrl}#` : prefix;
}

function requiredClaim(text: string): { readonly claim: string; readonly requiredValue: string } {
  const at = text.indexOf('=');
  if (at < 1) throw new UsageError(`--oidc-required-claim: expected key=value, not ${JSON.stringify(text)}`);
  return { claim: text.slice(0, at), requiredValue: text.slice(at + 1) };
}

function readTokens(path: string): Promise<ReturnType<typeof readStaticTokens>> {
  return understood('--token-auth-file', path, readStaticTokens);
}

async function understood<T>(flag: string, path: string, read: (text: string) => T): Promise<T> {
  try {
    return read(await readFile(path, 'utf8'));
  } catch (error) {
    if (error instanceof AuthenticationConfigError) throw new UsageError(`${flag}: ${path}: ${error.message}`, error);
    throw new UsageError(`${flag}: cannot read ${path}`, error);
  }
}
