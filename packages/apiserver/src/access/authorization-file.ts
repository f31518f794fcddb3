import { EvaluationError, readDuration } from '@binnacle/cel';
import { createSchemaRegistry, names } from '@binnacle/machinery';
import type { SchemaTable } from '@binnacle/machinery';
import type { AuthorizationWebhook, AuthorizerType } from '../ports/authorization-settings.ts';
import { decodeFile } from './decode-file.ts';
import { AuthenticationConfigError } from './errors.ts';
import { compileMatchConditions } from './match-conditions.ts';

const TEXT = { type: 'string', omitEmpty: true } as const;
const MAYBE = { type: 'bool', omitEmpty: true, pointer: true } as const;

/** `apiserver.config.k8s.io/v1` AuthorizationConfiguration. */
const TABLE: SchemaTable = {
  AuthorizationConfiguration: {
    fields: { kind: TEXT, apiVersion: TEXT, authorizers: { type: '[]#AuthorizerConfiguration' } },
  },
  AuthorizerConfiguration: {
    fields: { type: TEXT, name: TEXT, webhook: { type: '#WebhookConfiguration', omitEmpty: true, pointer: true } },
  },
  WebhookConfiguration: {
    fields: {
      authorizedTTL: TEXT,
      cacheAuthorizedRequests: MAYBE,
      unauthorizedTTL: TEXT,
      cacheUnauthorizedRequests: MAYBE,
      timeout: TEXT,
      subjectAccessReviewVersion: TEXT,
      matchConditionSubjectAccessReviewVersion: TEXT,
      failurePolicy: TEXT,
      connectionInfo: { type: '#WebhookConnectionInfo' },
      matchConditions: { type: '[]#WebhookMatchCondition', omitEmpty: true },
    },
  },
  WebhookConnectionInfo: {
    fields: { type: TEXT, kubeConfigFile: { type: 'string', omitEmpty: true, pointer: true } },
  },
  WebhookMatchCondition: { fields: { expression: { type: 'string' } } },
};
const registry = createSchemaRegistry(TABLE);

const VERSIONS = ['apiserver.config.k8s.io/v1', 'apiserver.config.k8s.io/v1beta1'];
const TYPES = ['AlwaysAllow', 'AlwaysDeny', 'Node', 'RBAC', 'Webhook'];
const AUTHORIZED_TTL_MS = 300_000;
const UNAUTHORIZED_TTL_MS = 30_000;
const TIMEOUT_MAX_MS = 30_000;

interface FileWebhook {
  readonly authorizedTTL?: string;
  readonly cacheAuthorizedRequests?: boolean | null;
  readonly unauthorizedTTL?: string;
  readonly cacheUnauthorizedRequests?: boolean | null;
  readonly timeout?: string;
  readonly subjectAccessReviewVersion?: string;
  readonly matchConditionSubjectAccessReviewVersion?: string;
  readonly failurePolicy?: string;
  readonly connectionInfo: { readonly type?: string; readonly kubeConfigFile?: string | null };
  readonly matchConditions?: readonly { readonly expression: string }[];
}

interface FileAuthorizer {
  readonly type?: string;
  readonly name?: string;
  readonly webhook?: FileWebhook | null;
}

/** One of the chain, as a file says: of a webhook, the kubeconfig that says whom to ask. */
export type AuthorizerOfFile =
  | { readonly type: AuthorizerType; readonly name: string }
  | {
      readonly type: 'Webhook';
      readonly name: string;
      readonly kubeConfigFile: string;
      readonly webhook: Omit<AuthorizationWebhook, 'endpoint'>;
    };

/** Reads an AuthorizationConfiguration that is parsed already. Throws AuthenticationConfigError, which names the fields. */
export function readAuthorizationFile(document: unknown): readonly AuthorizerOfFile[] {
  const { kind, apiVersion } = (typeof document === 'object' && document !== null ? document : {}) as {
    readonly kind?: unknown;
    readonly apiVersion?: unknown;
  };
  if (kind !== 'AuthorizationConfiguration' || !VERSIONS.includes(String(apiVersion))) {
    throw new AuthenticationConfigError(`expected AuthorizationConfiguration of ${VERSIONS[0]}`);
  }
  const { authorizers = [] } = decodeFile<{ readonly authorizers?: readonly FileAuthorizer[] }>(
    registry,
    'AuthorizationConfiguration',
    document,
  );
  const problems = authorizers.flatMap((one, i) => problemsOf(one, `authorizers[${i}]`, authorizers.slice(0, i)));
  if (authorizers.length === 0)
    problems.push('authorizers: Required value: at least one authorization mode must be defined');
  if (problems.length === 0) problems.push(...authorizers.flatMap(nameProblems));
  if (problems.length > 0) throw new AuthenticationConfigError(problems.join(', '));
  return authorizers.map((one, i) => settingsOf(one, `authorizers[${i}].webhook`));
}

/** Which may be called for by a file that comes later, though the server began without them. */
const ALWAYS_THERE: ReadonlySet<string> = new Set(['AlwaysAllow', 'AlwaysDeny', 'Webhook']);

/** A running server keeps those of the house that it began with, and takes up no others. Throws AuthenticationConfigError. */
export function checkChangedAuthorizers(
  first: readonly { readonly type: string }[],
  next: readonly { readonly type: string }[],
): void {
  const [before, after] = [typesOf(first), typesOf(next)];
  const missing = [...before].filter((type) => type !== 'Webhook' && !after.has(type)).sort();
  if (missing.length > 0) throw new AuthenticationConfigError(`missing required types: [${missing.join(' ')}]`);
  const added = [...after].find((type) => !before.has(type) && !ALWAYS_THERE.has(type));
  if (added === undefined) return;
  throw new AuthenticationConfigError(
    `authorizer type ${added} is not allowed if it was not enabled at initial server startup`,
  );
}

function typesOf(chain: readonly { readonly type: string }[]): Set<string> {
  return new Set(chain.map(({ type }) => type));
}

/** Those of the house are called as their modes are. */
function nameProblems({ type = '', name = '' }: FileAuthorizer): string[] {
  const expected = type.toLowerCase();
  if (type === 'Webhook' || name === expected) return [];
  return [`expected name ${expected} for authorizer ${type} instead of ${name}`];
}

function problemsOf(
  { type = '', name = '', webhook }: FileAuthorizer,
  path: string,
  before: readonly FileAuthorizer[],
): string[] {
  if (type === '') return [`${path}.type: Required value`];
  if (!TYPES.includes(type)) return [unsupported(`${path}.type`, type, TYPES)];
  if (type !== 'Webhook' && before.some((one) => one.type === type))
    return [`${path}.type: Duplicate value: ${JSON.stringify(type)}`];
  const problems: string[] = [];
  if (name === '') problems.push(`${path}.name: Required value`);
  else if (before.some((one) => one.name === name))
    problems.push(`${path}.name: Duplicate value: ${JSON.stringify(name)}`);
  else {
    const wrong = names.subdomainErrors(name);
    if (wrong.length > 0)
      problems.push(
        `${path}.name: Invalid value: ${JSON.stringify(name)}: authorizer name is invalid: ${wrong.join(', ')}`,
      );
  }
  const hook = webhook ?? undefined;
  if (type !== 'Webhook') {
    if (hook !== undefined)
      problems.push(`${path}.webhook: Invalid value: "non-null": may only be specified when type=Webhook`);
    return problems;
  }
  if (hook === undefined) return [...problems, `${path}.webhook: Required value: required when type=Webhook`];
  return [...problems, ...webhookProblems(hook, `${path}.webhook`)];
}

function webhookProblems(hook: FileWebhook, path: string): string[] {
  const {
    timeout = '',
    subjectAccessReviewVersion = '',
    failurePolicy = '',
    connectionInfo,
    matchConditions = [],
  } = hook;
  const problems: string[] = [];
  const times = [
    ['authorizedTTL', hook.authorizedTTL ?? ''],
    ['unauthorizedTTL', hook.unauthorizedTTL ?? ''],
    ['timeout', timeout],
  ] as const;
  for (const [field, text] of times) {
    const ms = text === '' ? 1 : durationMs(text);
    if (ms === undefined || ms <= 0)
      problems.push(`${path}.${field}: Invalid value: ${JSON.stringify(text)}: must be > 0s`);
  }
  if (timeout === '') problems.push(`${path}.timeout: Required value`);
  else if ((durationMs(timeout) ?? 0) > TIMEOUT_MAX_MS) {
    problems.push(`${path}.timeout: Invalid value: ${JSON.stringify(timeout)}: must be > 0s and <= 30s`);
  }
  problems.push(...choiceProblems(`${path}.subjectAccessReviewVersion`, subjectAccessReviewVersion, ['v1', 'v1beta1']));
  problems.push(...choiceProblems(`${path}.failurePolicy`, failurePolicy, ['NoOpinion', 'Deny']));
  const { matchConditionSubjectAccessReviewVersion: version = '' } = hook;
  if (version === '' && matchConditions.length > 0) {
    problems.push(
      `${path}.matchConditionSubjectAccessReviewVersion: Required value: required if match conditions are specified`,
    );
  } else if (version !== '' && version !== 'v1') {
    problems.push(unsupported(`${path}.matchConditionSubjectAccessReviewVersion`, version, ['v1']));
  }
  return [...problems, ...connectionProblems(connectionInfo, `${path}.connectionInfo`)];
}

function connectionProblems({ type = '', kubeConfigFile }: FileWebhook['connectionInfo'], path: string): string[] {
  if (type === 'InClusterConfig')
    return [`${path}.type: Forbidden: this server does not run in a cluster; use KubeConfigFile`];
  if (type !== 'KubeConfigFile') return choiceProblems(`${path}.type`, type, ['InClusterConfig', 'KubeConfigFile']);
  const file = kubeConfigFile ?? '';
  if (file === '') return [`${path}.kubeConfigFile: Required value`];
  return file.startsWith('/')
    ? []
    : [`${path}.kubeConfigFile: Invalid value: ${JSON.stringify(file)}: must be an absolute path`];
}

function choiceProblems(path: string, value: string, choices: readonly string[]): string[] {
  if (value === '') return [`${path}: Required value`];
  return choices.includes(value) ? [] : [unsupported(path, value, choices)];
}

function unsupported(path: string, value: string, choices: readonly string[]): string {
  return `${path}: Unsupported value: ${JSON.stringify(value)}: supported values: ${choices.map((one) => JSON.stringify(one)).join(', ')}`;
}

/** What was checked, as it is used. */
function settingsOf({ type = '', name = '', webhook }: FileAuthorizer, path: string): AuthorizerOfFile {
  if (webhook === undefined || webhook === null) return { type: type as AuthorizerType, name };
  const matchConditions = (webhook.matchConditions ?? []).map(({ expression }) => expression);
  compileMatchConditions(matchConditions, `${path}.matchConditions`);
  const ttl = (text: string | undefined, isKept: boolean | null | undefined, otherwise: number): number =>
    isKept === false ? 0 : ((text === undefined || text === '' ? undefined : durationMs(text)) ?? otherwise);
  return {
    type: 'Webhook',
    name,
    kubeConfigFile: webhook.connectionInfo.kubeConfigFile ?? '',
    webhook: {
      version: webhook.subjectAccessReviewVersion === 'v1beta1' ? 'v1beta1' : 'v1',
      authorizedTtlMs: ttl(webhook.authorizedTTL, webhook.cacheAuthorizedRequests, AUTHORIZED_TTL_MS),
      unauthorizedTtlMs: ttl(webhook.unauthorizedTTL, webhook.cacheUnauthorizedRequests, UNAUTHORIZED_TTL_MS),
      timeoutMs: durationMs(webhook.timeout ?? '') ?? TIMEOUT_MAX_MS,
      failurePolicy: webhook.failurePolicy === 'Deny' ? 'Deny' : 'NoOpinion',
      matchConditions,
    },
  };
}

function durationMs(text: string): number | undefined {
  try {
    return Number(readDuration(text).nanos) / 1e6;
  } catch (error) {
    if (error instanceof EvaluationError) return undefined;
    throw error;
  }
}
