import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES } from '@binnacle/api';
import type { ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, Subject } from '@binnacle/api/rbac/v1';
import type { KubeObject, UserInfo } from '@binnacle/machinery';
import type { AuthorizationDecision } from '../../ports/authorization.ts';
import type { CacheReader } from '../../ports/reader.ts';
import { parseServiceAccount } from '../users.ts';

/** A binding as it applies to one user. */
export interface BoundRules {
  readonly rules: readonly PolicyRule[];
  /** What it comes to where one of its rules allows: made once, as it is said of every request. */
  readonly allows: AuthorizationDecision;
}

export interface RuleSet {
  readonly bound: readonly BoundRules[];
  /** What is wrong with bindings that apply: roles that do not exist. */
  readonly errors: readonly string[];
}

type Binding = ClusterRoleBinding | RoleBinding;

const NO_BINDINGS: ReadonlyMap<string, Binding> = new Map();
const NOTHING: RuleSet = { bound: [], errors: [] };

/**
 * Roles and bindings, followed from the cache and turned round: from subject to bindings. The rule sets of a user
 * are put together on first use and kept until any role or binding changes, which is rare.
 */
export class RbacIndex {
  readonly #clusterRoles = new Map<string, readonly PolicyRule[]>();
  readonly #roles = new Map<string, readonly PolicyRule[]>();
  /** Scope (namespace, empty: the cluster) → subject key → binding name → binding. */
  readonly #bindings = new Map<string, Map<string, Map<string, Binding>>>();
  /** By the very object: callers come with the same one again (law 6: nobody changes it). */
  #kept = new WeakMap<UserInfo, Map<string, RuleSet>>();
  readonly #stops: (() => void)[];

  constructor(cache: CacheReader) {
    this.#stops = [
      cache.follow(CLUSTER_ROLES, (before, after) => this.#keepRole(this.#clusterRoles, before, after)),
      cache.follow(ROLES, (before, after) => this.#keepRole(this.#roles, before, after)),
      cache.follow(CLUSTER_ROLE_BINDINGS, (before, after) => this.#keepBinding(before, after)),
      cache.follow(ROLE_BINDINGS, (before, after) => this.#keepBinding(before, after)),
    ];
  }

  close(): void {
    for (const stop of this.#stops) stop();
  }

  /** The cluster's rules, then the namespace's (when there is one). */
  ruleSets(user: UserInfo, namespace: string): readonly RuleSet[] {
    const cluster = this.#ruleSet(user, '');
    return namespace === '' ? [cluster] : [cluster, this.#ruleSet(user, namespace)];
  }

  /** The rules of a role; undefined when it does not exist. */
  rulesOf(
    roleRef: { readonly kind: string; readonly name: string },
    namespace: string,
  ): readonly PolicyRule[] | undefined {
    if (roleRef.kind === 'ClusterRole') return this.#clusterRoles.get(roleRef.name);
    return this.#roles.get(`${namespace}/${roleRef.name}`);
  }

  #ruleSet(user: UserInfo, scope: string): RuleSet {
    const bySubject = this.#bindings.get(scope);
    if (bySubject === undefined) return NOTHING;
    let byScope = this.#kept.get(user);
    if (byScope === undefined) this.#kept.set(user, (byScope = new Map()));
    let set = byScope.get(scope);
    if (set === undefined) byScope.set(scope, (set = this.#resolve(user, scope, bySubject)));
    return set;
  }

  #resolve(user: UserInfo, scope: string, bySubject: ReadonlyMap<string, ReadonlyMap<string, Binding>>): RuleSet {
    const bound: BoundRules[] = [];
    const errors: string[] = [];
    const seen = new Set<string>();
    for (const subject of subjectKeysOf(user)) {
      for (const [name, binding] of bySubject.get(subject) ?? NO_BINDINGS) {
        if (seen.has(name)) continue;
        seen.add(name);
        const rules = this.rulesOf(binding.roleRef, scope);
        if (rules === undefined) errors.push(missingRole(binding.roleRef));
        else bound.push({ rules, allows: allowedBy(describe(binding, scope), describeSubject(subject)) });
      }
    }
    return { bound, errors };
  }

  #keepRole(
    roles: Map<string, readonly PolicyRule[]>,
    before: KubeObject | undefined,
    after: KubeObject | undefined,
  ): void {
    this.#kept = new WeakMap();
    if (after !== undefined) roles.set(keyOf(after), (after as ClusterRole | Role).rules ?? []);
    else if (before !== undefined) roles.delete(keyOf(before));
  }

  #keepBinding(before: KubeObject | undefined, after: KubeObject | undefined): void {
    this.#kept = new WeakMap();
    if (before !== undefined) this.#eachSubject(before as Binding, (bindings, name) => bindings.delete(name));
    if (after !== undefined) {
      this.#eachSubject(after as Binding, (bindings, name) => bindings.set(name, after as Binding));
    }
  }

  #eachSubject(binding: Binding, run: (bindings: Map<string, Binding>, name: string) => void): void {
    const scope = binding.metadata.namespace ?? '';
    let bySubject = this.#bindings.get(scope);
    if (bySubject === undefined) this.#bindings.set(scope, (bySubject = new Map()));
    for (const subject of binding.subjects ?? []) {
      const key = keyOfSubject(subject, scope);
      let bindings = bySubject.get(key);
      if (bindings === undefined) bySubject.set(key, (bindings = new Map()));
      run(bindings, binding.metadata.name ?? '');
      if (bindings.size === 0) bySubject.delete(key);
    }
    if (bySubject.size === 0) this.#bindings.delete(scope);
  }
}

function keyOf(object: KubeObject): string {
  const { namespace = '', name = '' } = object.metadata;
  return namespace === '' ? name : `${namespace}/${name}`;
}

/** ServiceAccounts are users with a known form of name; without a namespace they mean the binding's. */
function keyOfSubject(subject: Subject, scope: string): string {
  if (subject.kind === 'Group') return `Group\n${subject.name}`;
  if (subject.kind === 'User') return `User\n${subject.name}`;
  return `ServiceAccount\n${subject.namespace === undefined || subject.namespace === '' ? scope : subject.namespace}/${subject.name}`;
}

function subjectKeysOf(user: UserInfo): string[] {
  const keys = [`User\n${user.name}`, ...user.groups.map((group) => `Group\n${group}`)];
  const account = parseServiceAccount(user.name);
  if (account !== undefined) keys.push(`ServiceAccount\n${account.namespace}/${account.name}`);
  return keys;
}

/** `through`: `RoleBinding "x/y" of Role "z"`. */
function allowedBy(through: string, subject: string): AuthorizationDecision {
  return { decision: 'allow', reason: `RBAC: allowed by ${through} to ${subject}` };
}

function describe(binding: Binding, scope: string): string {
  const name = binding.metadata.name ?? '';
  const role = `${binding.roleRef.kind} "${binding.roleRef.name}"`;
  return scope === '' ? `ClusterRoleBinding "${name}" of ${role}` : `RoleBinding "${name}/${scope}" of ${role}`;
}

function describeSubject(key: string): string {
  const [kind = '', name = ''] = key.split('\n');
  return `${kind} "${name}"`;
}

function missingRole(roleRef: { readonly kind: string; readonly name: string }): string {
  const kind = roleRef.kind === 'ClusterRole' ? 'clusterrole' : 'role';
  return `${kind}.rbac.authorization.k8s.io "${roleRef.name}" not found`;
}
