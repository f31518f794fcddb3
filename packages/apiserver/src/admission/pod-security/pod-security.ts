import { PODS } from '@binnacle/api';
import type { Namespace, Pod } from '@binnacle/api/core/v1';
import { controllerOf, status } from '@binnacle/machinery';
import type { Clock } from '@binnacle/base';
import type { AdmissionAttributes, AdmissionPlugin } from '../../ports/admission.ts';
import type { AdmissionMeasures } from '../../ports/measures.ts';
import type { CacheReader } from '../../ports/reader.ts';
import { refuse } from '../refusal.ts';
import { detailsOf, evaluatePod, reasonsOf } from './evaluate.ts';
import {
  isStricter,
  MODES,
  PREFIX,
  PRIVILEGED,
  policyReader,
  readPolicy,
  sameLevelVersion,
  shown,
} from './pod-security-policy.ts';
import type { LevelVersion, Mode, PodSecurityPolicy } from './pod-security-policy.ts';
import { hasPodTemplate, podTemplateOf } from './pod-template.ts';
import type { PodLike, Violation } from './violation.ts';

/** What the administrator says beside the namespaces' labels. */
export interface PodSecurityConfiguration {
  readonly defaults: PodSecurityPolicy;
  readonly exemptions: {
    readonly usernames: readonly string[];
    readonly namespaces: readonly string[];
    readonly runtimeClasses: readonly string[];
  };
}

/** Nobody is exempt, and without labels everything goes. */
export const OPEN_POD_SECURITY: PodSecurityConfiguration = {
  defaults: PRIVILEGED,
  exemptions: { usernames: [], namespaces: [], runtimeClasses: [] },
};

export interface PodSecurityWorld {
  readonly cache: CacheReader;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly measures: AdmissionMeasures;
}

/** Subresources of pods that do not change what runs. */
const UNRELATED = new Set(['exec', 'attach', 'binding', 'eviction', 'log', 'portforward', 'proxy', 'status']);

/** A namespace's pods are looked at up to this many and this long when its level becomes stricter. */
const PODS_LOOKED_AT = 3_000;
const LOOKING_MS = 1_000;

/**
 * Holds pods to the Pod Security Standards as their namespace's labels ask: refused, recorded or warned of. Templates
 * of pods are recorded and warned of only.
 */
export function createPodSecurity(
  world: PodSecurityWorld,
  configuration: PodSecurityConfiguration = OPEN_POD_SECURITY,
): AdmissionPlugin {
  const { exemptions } = configuration;
  const isExempt = {
    namespace: setOf(exemptions.namespaces),
    user: setOf(exemptions.usernames),
    runtimeClass: setOf(exemptions.runtimeClasses),
  };
  const policyOf = policyReader(configuration.defaults);
  const court: Court = { ...world, defaults: configuration.defaults, policyOf, isExempt };
  return {
    name: 'PodSecurity',
    handles(operation, info, subresource) {
      if (operation !== 'CREATE' && operation !== 'UPDATE') return false;
      if (info.group === '' && info.resource === 'pods') return !UNRELATED.has(subresource);
      if (subresource !== '') return false;
      return (info.group === '' && info.resource === 'namespaces') || hasPodTemplate(info);
    },
    validate(attributes) {
      if (attributes.info.resource === 'namespaces') judgeNamespace(court, attributes);
      else judgeWorkload(court, attributes);
    },
  };
}

type IsExempt = (name: string | undefined) => boolean;

interface Court extends PodSecurityWorld {
  readonly defaults: PodSecurityPolicy;
  readonly policyOf: ReturnType<typeof policyReader>;
  readonly isExempt: { readonly namespace: IsExempt; readonly user: IsExempt; readonly runtimeClass: IsExempt };
}

function setOf(names: readonly string[]): IsExempt {
  const set = new Set(names);
  return (name = '') => name !== '' && set.has(name);
}

function judgeWorkload(court: Court, attributes: AdmissionAttributes): void {
  const exemption = exemptionOf(court, attributes);
  if (exemption !== undefined) return exempt(court, attributes, exemption);
  const isPod = attributes.info.resource === 'pods';
  const namespace = attributes.namespaceObject;
  if (namespace === undefined) {
    court.measures.count('podSecurityErrors', [String(isPod), ...labelsOf(attributes)]);
    return missingNamespace(attributes, isPod);
  }
  const { policy, errors } = court.policyOf(namespace.metadata.labels);
  const pod = isPod ? (attributes.object as Pod) : podTemplateOf(attributes.info, attributes.object ?? namespace);
  if (pod === undefined || !mayMatter(court, attributes, isPod && errors.length === 0 ? policy : undefined))
    return undefined;
  if (court.isExempt.runtimeClass(pod.spec.runtimeClassName)) return exempt(court, attributes, 'runtimeClass');
  if (errors.length > 0) {
    const texts = errors.map(String);
    court.measures.count('podSecurityErrors', ['false', ...labelsOf(attributes)]);
    record(attributes, 'error', `Failed to parse policy: ${texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`}`);
  }
  judgePod(court, attributes, { pod, policy, enforced: isPod });
  return undefined;
}

function exempt({ measures }: Court, attributes: AdmissionAttributes, why: string): void {
  measures.count('podSecurityExemptions', labelsOf(attributes));
  record(attributes, 'exempt', why);
}

/** Upstream knows pods, and whatever makes them. */
function labelsOf({ operation, info, subresource }: AdmissionAttributes): string[] {
  return [operation.toLowerCase(), info.resource === 'pods' ? 'pod' : 'controller', subresource];
}

function evaluated(
  { measures }: Court,
  attributes: AdmissionAttributes,
  { asked, mode, allowed }: { readonly asked: LevelVersion; readonly mode: Mode; readonly allowed: boolean },
): void {
  const version = asked.version === 'latest' ? asked.version : `v1.${asked.version}`;
  const labels = [allowed ? 'allow' : 'deny', asked.level, version, mode, ...labelsOf(attributes)];
  measures.count('podSecurityEvaluations', labels);
}

function exemptionOf({ isExempt }: Court, { namespace, user }: AdmissionAttributes): string | undefined {
  if (isExempt.namespace(namespace)) return 'namespace';
  return isExempt.user(user.name) ? 'user' : undefined;
}

function missingNamespace(attributes: AdmissionAttributes, isPod: boolean): void {
  const why = `failed to lookup namespace "${attributes.namespace}"`;
  record(attributes, 'error', why);
  if (isPod) throw status.internalError(why);
}

/** Not a change of a pod that leaves its containers and their images as they were; `policy` is one of pods that can be read. */
function mayMatter(court: Court, attributes: AdmissionAttributes, policy: PodSecurityPolicy | undefined): boolean {
  if (policy !== undefined && MODES.every((mode) => policy[mode].level === 'privileged')) {
    record(attributes, 'enforce-policy', shown(PRIVILEGED.enforce));
    evaluated(court, attributes, { asked: policy.enforce, mode: 'enforce', allowed: true });
    return false;
  }
  if (attributes.info.resource !== 'pods' || attributes.operation !== 'UPDATE') return true;
  return changesImages(attributes.object as Pod, attributes.before as Pod);
}

function changesImages({ spec }: Pod, { spec: before }: Pod): boolean {
  const images = (pod: Pod['spec']): string =>
    JSON.stringify([pod.containers, pod.initContainers].map((list) => (list ?? []).map(({ image }) => image ?? '')));
  if (images(spec) !== images(before)) return true;
  const debugging = new Map((before.ephemeralContainers ?? []).map(({ name, image }) => [name, image]));
  return (spec.ephemeralContainers ?? []).some(({ name, image }) => {
    return !debugging.has(name) || debugging.get(name) !== image;
  });
}

interface Judged {
  readonly pod: PodLike;
  readonly policy: PodSecurityPolicy;
  /** Templates are not: only their pods are refused. */
  readonly enforced: boolean;
}

function judgePod(court: Court, attributes: AdmissionAttributes, { pod, policy, enforced }: Judged): void {
  const known = new Map<string, readonly Violation[]>();
  const violations = (asked: LevelVersion): readonly Violation[] => {
    const found = known.get(shown(asked)) ?? evaluatePod(pod, asked);
    known.set(shown(asked), found);
    return found;
  };
  const told = (verb: string, asked: LevelVersion): string =>
    `${verb} PodSecurity "${shown(asked)}": ${detailsOf(violations(asked))}`;
  if (enforced) {
    record(attributes, 'enforce-policy', shown(policy.enforce));
    const allowed = violations(policy.enforce).length === 0;
    evaluated(court, attributes, { asked: policy.enforce, mode: 'enforce', allowed });
  }
  if (violations(policy.audit).length > 0) {
    record(attributes, 'audit-violations', told('would violate', policy.audit));
    evaluated(court, attributes, { asked: policy.audit, mode: 'audit', allowed: false });
  }
  if (enforced && violations(policy.enforce).length > 0) throw refuse(attributes, told('violates', policy.enforce));
  if (violations(policy.warn).length === 0) return;
  attributes.warn(told('would violate', policy.warn));
  evaluated(court, attributes, { asked: policy.warn, mode: 'warn', allowed: false });
}

function judgeNamespace(court: Court, attributes: AdmissionAttributes): void {
  const namespace = attributes.object as Namespace;
  const before = attributes.before as Namespace | undefined;
  const wanted = readPolicy(namespace.metadata.labels, court.defaults);
  const had = before === undefined ? undefined : readPolicy(before.metadata.labels, court.defaults);
  const messages = wanted.errors.map(String).join();
  if (messages !== '' && messages !== had?.errors.map(String).join()) {
    throw status.invalid({ group: '', kind: 'Namespace' }, attributes.name, wanted.errors);
  }
  if (had !== undefined && !becomesStricter(had.policy.enforce, wanted.policy.enforce)) return;
  const name = namespace.metadata.name ?? '';
  if (court.isExempt.namespace(name)) {
    const ignored = ignoredPolicy(court, namespace, wanted.policy);
    if (ignored !== undefined) attributes.warn(ignored);
    return;
  }
  if (had === undefined) return;
  for (const warning of warningsOfPods(court, name, wanted.policy.enforce)) attributes.warn(warning);
}

function becomesStricter(had: LevelVersion, wanted: LevelVersion): boolean {
  if (sameLevelVersion(had, wanted) || wanted.level === 'privileged') return false;
  return wanted.version !== had.version || isStricter(wanted.level, had.level);
}

/** What an exempt namespace asks for in vain. */
function ignoredPolicy({ defaults }: Court, namespace: Namespace, policy: PodSecurityPolicy): string | undefined {
  const isDefault = MODES.every((mode) => {
    const { level } = policy[mode];
    if (level === 'privileged' && defaults[mode].level === level) return true;
    return sameLevelVersion(policy[mode], defaults[mode]);
  });
  if (isDefault || MODES.every((mode) => policy[mode].level === 'privileged')) return undefined;
  const labels = namespace.metadata.labels ?? {};
  const asked = MODES.filter((mode) => {
    if (policy[mode].level === 'privileged') return false;
    return labels[PREFIX + mode] !== undefined || labels[`${PREFIX}${mode}-version`] !== undefined;
  });
  const text = asked.map((mode) => `${mode}=${shown(policy[mode])}`).join(', ');
  return `namespace "${namespace.metadata.name}" is exempt from Pod Security, and the policy (${text}) will be ignored`;
}

/** Which pods that are there already would be refused, grouped by why. */
function warningsOfPods(court: Court, namespace: string, enforce: LevelVersion): string[] {
  const pods = oneOfEachControllerFirst(court, court.cache.list(PODS, namespace) as readonly Pod[]);
  const started = court.clock.monotonic();
  const namesByReason = new Map<string, string[]>();
  let looked = 0;
  for (const pod of pods.slice(0, PODS_LOOKED_AT)) {
    const reasons = reasonsOf(evaluatePod(pod, enforce));
    if (reasons !== '') namesByReason.set(reasons, [...(namesByReason.get(reasons) ?? []), pod.metadata.name ?? '']);
    looked++;
    if (court.clock.monotonic() - started > LOOKING_MS) break;
  }
  const level = `new PodSecurity enforce level`;
  const warnings: string[] = [];
  if (looked < pods.length) {
    warnings.push(`${level} only checked against the first ${looked} of ${pods.length} existing pods`);
  }
  if (namesByReason.size > 0) {
    warnings.push(`existing pods in namespace "${namespace}" violate the ${level} "${shown(enforce)}"`);
  }
  const byReason = [...namesByReason].map(([reasons, names]) => `${firstOf(names)}: ${reasons}`);
  return [...warnings, ...byReason.sort()];
}

function firstOf(names: readonly string[]): string {
  const [first = ''] = names.toSorted();
  if (names.length === 1) return first;
  return `${first} (and ${names.length - 1} other ${names.length === 2 ? 'pod' : 'pods'})`;
}

/** Replicas are alike: where there are too many pods to look at, others tell more. */
function oneOfEachControllerFirst({ isExempt }: Court, pods: readonly Pod[]): readonly Pod[] {
  const seen = new Set<string>();
  const first: Pod[] = [];
  const rest: Pod[] = [];
  for (const pod of pods) {
    if (isExempt.runtimeClass(pod.spec.runtimeClassName)) continue;
    const controller = controllerOf(pod)?.uid;
    if (controller !== undefined && seen.has(controller)) {
      rest.push(pod);
      continue;
    }
    if (controller !== undefined) seen.add(controller);
    first.push(pod);
  }
  return [...first, ...rest];
}

function record(attributes: AdmissionAttributes, key: string, value: string): void {
  attributes.annotate(PREFIX + key, value);
}
