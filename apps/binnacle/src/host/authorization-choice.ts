import { readFile } from 'node:fs/promises';
import { AuthenticationConfigError, checkChangedAuthorizers, readAuthorizationFile } from '@binnacle/apiserver';
import type { AuthorizerSettings } from '@binnacle/apiserver';
import type { PolicyFiles } from '@binnacle/cluster/node/policy-files';
import { Option } from 'commander';
import type { Command } from 'commander';
import { UsageError } from '../errors.ts';
import { durationOption } from './flag-options.ts';
import { webhookEndpoint } from './webhook-endpoint.ts';

/** Upstream's modes; ABAC is none of ours. */
const MODES = ['AlwaysAllow', 'AlwaysDeny', 'Node', 'RBAC', 'Webhook'] as const;
type Mode = (typeof MODES)[number];
const AUTHORIZED_TTL_MS = 300_000;
const UNAUTHORIZED_TTL_MS = 30_000;
const TIMEOUT_MS = 30_000;

/** The flags of authorization, by upstream's names. Durations in milliseconds. */
export interface AuthorizationFlags {
  readonly authorizationMode?: readonly string[];
  readonly authorizationConfig?: string;
  readonly authorizationWebhookConfigFile?: string;
  readonly authorizationWebhookVersion?: 'v1' | 'v1beta1';
  readonly authorizationWebhookCacheAuthorizedTtl?: number;
  readonly authorizationWebhookCacheUnauthorizedTtl?: number;
}

/** Adds them to a command. */
export function authorizationOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--authorization-mode <modes>',
        `who decides, in order: ${MODES.join(', ')} (default: Node,RBAC)`,
      ).argParser((text, before: readonly string[] | undefined) => [
        ...(before ?? []),
        ...text.split(',').filter(Boolean),
      ]),
    )
    .option(
      '--authorization-config <file>',
      'AuthorizationConfiguration: who decides, webhooks with conditions among them',
    )
    .option('--authorization-webhook-config-file <file>', 'kubeconfig of the webhook of mode Webhook')
    .addOption(new Option('--authorization-webhook-version <version>', 'of its reviews').choices(['v1', 'v1beta1']))
    .addOption(durationOption('authorization-webhook-cache-authorized-ttl', 'how long its yes holds (default: 5m)'))
    .addOption(durationOption('authorization-webhook-cache-unauthorized-ttl', 'how long its no holds (default: 30s)'));
}

/** Who decides, and where that came from, for who follows it. */
export interface AuthorizationChoice {
  readonly authorization?: readonly AuthorizerSettings[];
  readonly file?: PolicyFiles['authorization'];
}

/** What the flags ask for, with the files that they name; nothing: upstream's default. Throws UsageError with the flag. */
export async function authorizationChoice(flags: AuthorizationFlags): Promise<AuthorizationChoice> {
  const { authorizationConfig: path, authorizationMode: modes } = flags;
  if (path !== undefined) {
    const other = Object.keys(flags).find(
      (flag) => flag === 'authorizationMode' || flag.startsWith('authorizationWebhook'),
    );
    if (other !== undefined)
      throw new UsageError(
        '--authorization-config: cannot be used together with --authorization-mode or --authorization-webhook-*',
      );
    return chosenByFile(path);
  }
  if (modes === undefined) {
    if (flags.authorizationWebhookConfigFile === undefined) return {};
    throw new UsageError('--authorization-webhook-config-file: --authorization-mode has no Webhook');
  }
  if (flags.authorizationWebhookConfigFile !== undefined && !modes.includes('Webhook'))
    throw new UsageError('cannot specify --authorization-webhook-config-file without mode Webhook');
  return { authorization: await Promise.all(modes.map((mode, i) => authorizerOf(mode, flags, modes.slice(0, i)))) };
}

async function authorizerOf(
  mode: string,
  flags: AuthorizationFlags,
  before: readonly string[],
): Promise<AuthorizerSettings> {
  if (!isMode(mode))
    throw new UsageError(`--authorization-mode: unknown mode ${JSON.stringify(mode)}: one of ${MODES.join(', ')}`);
  if (before.includes(mode)) throw new UsageError(`--authorization-mode: ${JSON.stringify(mode)} is there twice`);
  const name = mode.toLowerCase();
  if (mode !== 'Webhook') return { type: mode, name };
  const { authorizationWebhookConfigFile: file } = flags;
  if (file === undefined)
    throw new UsageError(
      "authorization-mode Webhook's authorization config file not passed: --authorization-webhook-config-file",
    );
  return {
    type: 'Webhook',
    name,
    webhook: {
      endpoint: await webhookEndpoint('authorization-webhook-config-file', file),
      version: flags.authorizationWebhookVersion ?? 'v1beta1',
      authorizedTtlMs: flags.authorizationWebhookCacheAuthorizedTtl ?? AUTHORIZED_TTL_MS,
      unauthorizedTtlMs: flags.authorizationWebhookCacheUnauthorizedTtl ?? UNAUTHORIZED_TTL_MS,
      timeoutMs: TIMEOUT_MS,
      failurePolicy: 'NoOpinion',
      matchConditions: [],
    },
  };
}

function isMode(text: string): text is Mode {
  return MODES.some((mode) => mode === text);
}

/** What a text of the file says, with whom its kubeconfigs name. Throws AuthenticationConfigError, or UsageError of a kubeconfig. */
async function chainOf(text: string): Promise<readonly AuthorizerSettings[]> {
  const { readYaml } = await import('@binnacle/machinery/yaml');
  const read = readAuthorizationFile(readYaml(text).value);
  return Promise.all(
    read.map(async (one): Promise<AuthorizerSettings> => {
      if (one.type !== 'Webhook') return one;
      const endpoint = await webhookEndpoint('authorization-config', one.kubeConfigFile);
      return { type: 'Webhook', name: one.name, webhook: { ...one.webhook, endpoint } };
    }),
  );
}

async function chosenByFile(path: string): Promise<AuthorizationChoice> {
  try {
    const text = await readFile(path, 'utf8');
    const first = await chainOf(text);
    const read = async (later: string): Promise<readonly AuthorizerSettings[]> => {
      const next = await chainOf(later);
      checkChangedAuthorizers(first, next);
      return next;
    };
    return { authorization: first, file: { path, text, read } };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (error instanceof AuthenticationConfigError)
      throw new UsageError(`--authorization-config: ${path}: ${error.message}`, error);
    throw new UsageError(`--authorization-config: cannot read ${path}`, error);
  }
}
