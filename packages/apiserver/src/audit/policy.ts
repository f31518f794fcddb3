import { createSchemaRegistry, DecodeError, names } from '@binnacle/machinery';
import type { SchemaTable, UserInfo } from '@binnacle/machinery';
import type { AuditLevel, AuditStage } from '../ports/audit.ts';
import type { RequestInfo } from '../request/info.ts';
import { AuditPolicyError } from './errors.ts';

const LEVELS: readonly string[] = ['None', 'Metadata', 'Request', 'RequestResponse'];
const STAGES: readonly string[] = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'];
const TEXT = { type: 'string', omitEmpty: true } as const;
const TEXTS = { type: '[]string', omitEmpty: true } as const;
const YES = { type: 'bool', omitEmpty: true } as const;

/** `audit.k8s.io/v1` Policy (facts: config schema v1.36). Its metadata says nothing that is acted upon. */
const TABLE: SchemaTable = {
  Policy: {
    fields: {
      kind: TEXT,
      apiVersion: TEXT,
      metadata: { type: '#PolicyMeta' },
      rules: { type: '[]#PolicyRule' },
      omitStages: TEXTS,
      omitManagedFields: YES,
    },
  },
  PolicyMeta: {
    fields: {
      name: TEXT,
      labels: { type: '{}string', omitEmpty: true },
      annotations: { type: '{}string', omitEmpty: true },
    },
  },
  PolicyRule: {
    fields: {
      level: TEXT,
      users: TEXTS,
      userGroups: TEXTS,
      verbs: TEXTS,
      resources: { type: '[]#GroupResources', omitEmpty: true },
      namespaces: TEXTS,
      nonResourceURLs: TEXTS,
      omitStages: TEXTS,
      omitManagedFields: { type: 'bool', omitEmpty: true, pointer: true },
    },
  },
  GroupResources: { fields: { group: TEXT, resources: TEXTS, resourceNames: TEXTS } },
};
const registry = createSchemaRegistry(TABLE);

interface GroupResources {
  readonly group?: string;
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

interface PolicyRule {
  readonly level: AuditLevel;
  readonly users?: readonly string[];
  readonly userGroups?: readonly string[];
  readonly verbs?: readonly string[];
  readonly resources?: readonly GroupResources[];
  readonly namespaces?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly omitStages?: readonly AuditStage[];
  readonly omitManagedFields?: boolean;
}

interface PolicyDocument {
  readonly rules?: readonly PolicyRule[];
  readonly omitStages?: readonly AuditStage[];
  readonly omitManagedFields?: boolean;
}

/** What a policy says of one request. */
export interface AuditPlan {
  readonly level: AuditLevel;
  readonly omitStages: ReadonlySet<AuditStage>;
  readonly omitManagedFields: boolean;
}

/** Which requests are recorded, and how much of them: the first rule that matches says. */
export class AuditPolicy {
  readonly #rules: readonly { readonly matches: Matcher; readonly plan: AuditPlan }[];
  readonly #otherwise: AuditPlan;

  constructor({ rules = [], omitStages = [], omitManagedFields = false }: PolicyDocument) {
    this.#otherwise = { level: 'None', omitStages: new Set(omitStages), omitManagedFields };
    this.#rules = rules.map((rule) => ({
      matches: matcherOf(rule),
      plan: {
        level: rule.level,
        omitStages: new Set([...omitStages, ...(rule.omitStages ?? [])]),
        omitManagedFields: rule.omitManagedFields ?? omitManagedFields,
      },
    }));
  }

  /** `user`: undefined when nobody knows who asks. */
  planFor(user: UserInfo | undefined, info: RequestInfo): AuditPlan {
    for (const { matches, plan } of this.#rules) if (matches(user, info)) return plan;
    return this.#otherwise;
  }
}

/** Reads a policy that is parsed already, strictly. Throws AuditPolicyError. */
export function readAuditPolicy(document: unknown): AuditPolicy {
  const { kind, apiVersion } = (typeof document === 'object' && document !== null ? document : {}) as {
    readonly kind?: unknown;
    readonly apiVersion?: unknown;
  };
  if (kind !== 'Policy' || apiVersion !== 'audit.k8s.io/v1') {
    throw new AuditPolicyError('expected Policy of audit.k8s.io/v1');
  }
  const policy = decode(document);
  const problems = [
    ...stageProblems(policy.omitStages, 'omitStages'),
    ...(policy.rules ?? []).flatMap((rule, i) => ruleProblems(rule, `rules[${i}]`)),
  ];
  if (problems.length > 0) throw new AuditPolicyError(problems.join(', '));
  if ((policy.rules ?? []).length === 0) throw new AuditPolicyError('loaded illegal policy with 0 rules');
  return new AuditPolicy(policy);
}

function decode(document: unknown): PolicyDocument {
  try {
    const { value, problems } = registry.decode<PolicyDocument>('Policy', document, 'Strict');
    if (problems.length === 0) return value;
    throw new AuditPolicyError(`strict decoding error: ${problems.join(', ')}`);
  } catch (error) {
    if (error instanceof DecodeError) throw new AuditPolicyError(error.message);
    throw error;
  }
}

function ruleProblems(rule: PolicyRule, path: string): string[] {
  const { level = '', nonResourceURLs = [], resources = [], namespaces = [] } = rule as Partial<PolicyRule>;
  const problems: string[] = [];
  if (level === '') problems.push(`${path}.level: Required value`);
  else if (!LEVELS.includes(level)) {
    const known = LEVELS.map((one) => JSON.stringify(one)).join(', ');
    problems.push(`${path}.level: Unsupported value: ${JSON.stringify(level)}: supported values: ${known}`);
  }
  problems.push(...nonResourceURLs.flatMap((url, i) => urlProblems(url, `${path}.nonResourceURLs[${i}]`)));
  for (const { group = '', resources: of = [], resourceNames = [] } of resources) {
    const wrong = group === '' || group === '*' ? [] : names.subdomainErrors(group);
    problems.push(...wrong.map((why) => `${path}.resources.group: Invalid value: ${JSON.stringify(group)}: ${why}`));
    if (resourceNames.length > 0 && of.length === 0) {
      problems.push(
        `${path}.resources.resourceNames: Invalid value: ${JSON.stringify(resourceNames)}: using resourceNames requires at least one resource`,
      );
    }
  }
  problems.push(...stageProblems(rule.omitStages, `${path}.omitStages`));
  if (nonResourceURLs.length > 0 && (resources.length > 0 || namespaces.length > 0)) {
    problems.push(
      `${path}.nonResourceURLs: Invalid value: ${JSON.stringify(nonResourceURLs)}: rules cannot apply to both regular resources and non-resource URLs`,
    );
  }
  return problems;
}

function urlProblems(url: string, path: string): string[] {
  if (url === '*') return [];
  const problems: string[] = [];
  const value = `${path}: Invalid value: ${JSON.stringify(url)}`;
  if (!url.startsWith('/')) problems.push(`${value}: non-resource URL rules must begin with a '/' character`);
  if (url.slice(0, -1).includes('*')) {
    problems.push(`${value}: non-resource URL wildcards '*' must be the final character of the rule`);
  }
  return problems;
}

function stageProblems(stages: readonly string[] = [], path: string): string[] {
  return stages.flatMap((stage, i) =>
    STAGES.includes(stage)
      ? []
      : [`${path}[${i}]: Invalid value: ${JSON.stringify(stage)}: allowed stages are ${STAGES.join(',')}`],
  );
}

type Matcher = (user: UserInfo | undefined, info: RequestInfo) => boolean;

function matcherOf(rule: PolicyRule): Matcher {
  const { users = [], userGroups = [], verbs = [], resources = [], namespaces = [], nonResourceURLs = [] } = rule;
  const checks: Matcher[] = [];
  if (users.length > 0) checks.push((user) => user !== undefined && users.includes(user.name));
  if (userGroups.length > 0) checks.push((user) => user?.groups.some((group) => userGroups.includes(group)) === true);
  if (verbs.length > 0) checks.push((_user, { verb }) => verbs.includes(verb));
  if (resources.length > 0 || namespaces.length > 0) {
    checks.push((_user, { isResource }) => isResource);
    if (namespaces.length > 0) checks.push((_user, { namespace }) => namespaces.includes(namespace));
    if (resources.length > 0) checks.push((_user, info) => resources.some((of) => coversResource(of, info)));
  } else if (nonResourceURLs.length > 0) {
    checks.push((_user, info) => !info.isResource && nonResourceURLs.some((url) => coversPath(url, info.path)));
  }
  return (user, info) => checks.every((check) => check(user, info));
}

function coversPath(url: string, path: string): boolean {
  return url === '*' || url === path || (url.endsWith('*') && path.startsWith(url.slice(0, -1)));
}

/** `pods`, `pods/log`, `pods/*`, `*\/log` and `*`; a subresource is not its resource. */
function coversResource(
  { group = '', resources = [], resourceNames = [] }: GroupResources,
  info: RequestInfo,
): boolean {
  if (group !== info.group && group !== '*') return false;
  if (resources.length === 0) return true;
  if (resourceNames.length > 0 && !resourceNames.includes(info.name)) return false;
  const { resource, subresource } = info;
  const whole = subresource === '' ? resource : `${resource}/${subresource}`;
  return resources.some(
    (one) =>
      one === whole || one === '*' || one === `${resource}/*` || (subresource !== '' && one === `*/${subresource}`),
  );
}
