import type {
  FlowSchema,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  Subject,
} from '@binnacle/api/flowcontrol/v1';
import type { UserInfo } from '@binnacle/machinery';
import type { RequestInfo } from '../request/info.ts';

const ACCOUNT_PREFIX = 'system:serviceaccount:';

/** A flow schema as requests are compared with it. */
export interface FlowRules {
  readonly name: string;
  readonly uid: string;
  readonly level: string;
  readonly precedence: number;
  readonly distinguishes: 'user' | 'namespace' | 'nothing';
  readonly rules: readonly SubjectRules[];
}

interface SubjectRules {
  readonly concerns: (user: UserInfo) => boolean;
  readonly resources: readonly ((info: RequestInfo) => boolean)[];
  readonly paths: readonly ((info: RequestInfo) => boolean)[];
}

/** Takes a flow schema to what is asked of each request. */
export function compileFlowSchema({ metadata, spec }: FlowSchema): FlowRules {
  const method = spec.distinguisherMethod?.type;
  return {
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    level: spec.priorityLevelConfiguration.name,
    precedence: spec.matchingPrecedence,
    distinguishes: method === 'ByUser' ? 'user' : method === 'ByNamespace' ? 'namespace' : 'nothing',
    rules: (spec.rules ?? []).map(compileRules),
  };
}

/** The order in which schemas are asked: by precedence, then by name. */
export function byPrecedence(a: FlowRules, b: FlowRules): number {
  return a.precedence - b.precedence || (a.name < b.name ? -1 : 1);
}

/** Whose and what sort of request it is: the part of a flow that its schema tells apart. */
export function distinguisherOf({ distinguishes }: FlowRules, user: UserInfo, info: RequestInfo): string {
  if (distinguishes === 'user') return user.name;
  return distinguishes === 'namespace' ? info.namespace : '';
}

/**
 * The flow schemas in their order. A user comes again and again as the same object, so that the schemas which concern
 * them are found out once.
 */
export class FlowClassifier {
  readonly #schemas: readonly FlowRules[];
  readonly #byUser = new WeakMap<UserInfo, readonly Candidate[]>();

  /** `schemas`: those in use; one has to match everybody who is authenticated or known not to be. */
  constructor(schemas: readonly FlowRules[]) {
    this.#schemas = schemas.toSorted(byPrecedence);
  }

  /** The first schema that matches. Undefined: none does. */
  classify(user: UserInfo, info: RequestInfo): FlowRules | undefined {
    let candidates = this.#byUser.get(user);
    if (candidates === undefined) this.#byUser.set(user, (candidates = this.#concerning(user)));
    for (const { schema, rules } of candidates) {
      for (const rule of rules) {
        const checks = info.isResource ? rule.resources : rule.paths;
        for (const check of checks) if (check(info)) return schema;
      }
    }
    return undefined;
  }

  #concerning(user: UserInfo): Candidate[] {
    return this.#schemas.flatMap((schema) => {
      const rules = schema.rules.filter((rule) => rule.concerns(user));
      return rules.length === 0 ? [] : [{ schema, rules }];
    });
  }
}

interface Candidate {
  readonly schema: FlowRules;
  readonly rules: readonly SubjectRules[];
}

function compileRules({ subjects, resourceRules, nonResourceRules }: PolicyRulesWithSubjects): SubjectRules {
  const each = subjects.map(compileSubject);
  return {
    concerns: (user) => each.some((concerns) => concerns(user)),
    resources: (resourceRules ?? []).map(compileResourceRule),
    paths: (nonResourceRules ?? []).map(compilePathRule),
  };
}

function compileSubject({ kind, user, group, serviceAccount }: Subject): (user: UserInfo) => boolean {
  if (kind === 'User' && user !== undefined) {
    return user.name === '*' ? () => true : ({ name }) => name === user.name;
  }
  if (kind === 'Group' && group !== undefined) {
    return group.name === '*' ? () => true : ({ groups }) => groups.includes(group.name);
  }
  if (kind === 'ServiceAccount' && serviceAccount !== undefined) {
    const prefix = `${ACCOUNT_PREFIX}${serviceAccount.namespace}:`;
    if (serviceAccount.name === '*') return ({ name }) => name.startsWith(prefix);
    const whole = prefix + serviceAccount.name;
    return ({ name }) => name === whole;
  }
  return () => false;
}

function compileResourceRule(rule: ResourcePolicyRule): (info: RequestInfo) => boolean {
  const verb = oneOf(rule.verbs);
  const resource = oneOf(rule.resources);
  const group = oneOf(rule.apiGroups);
  const namespace = oneOf(rule.namespaces);
  const { clusterScope = false } = rule;
  return (info) => {
    if (!verb(info.verb) || !group(info.group)) return false;
    if (!resource(info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`)) return false;
    return info.namespace === '' ? clusterScope : namespace(info.namespace);
  };
}

function compilePathRule({ verbs, nonResourceURLs }: NonResourcePolicyRule): (info: RequestInfo) => boolean {
  const verb = oneOf(verbs);
  const urls = nonResourceURLs.map((url) => ({ url, prefix: prefixOf(url) }));
  return (info) =>
    verb(info.verb) && urls.some(({ url, prefix }) => url === '*' || url === info.path || info.path.startsWith(prefix));
}

/** What stands below a path is meant too: `/healthz` and `/healthz/*` both cover `/healthz/ping`. */
function prefixOf(url: string): string {
  const prefix = url.endsWith('*') ? url.slice(0, -1) : url;
  return prefix.endsWith('/') ? prefix : `${prefix}/`;
}

/** `given`: null where a rule is for no namespace. */
function oneOf(given: readonly string[] | null): (value: string) => boolean {
  const list = given ?? [];
  if (list.length === 1 && list[0] === '*') return () => true;
  const set = new Set(list);
  return (value) => set.has(value);
}
