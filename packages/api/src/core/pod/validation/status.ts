import { names } from '@binnacle/machinery';
import type { ContainerStatus, Pod, PodCondition } from '../../../generated/core-v1.ts';
import { addressFamily, validateIp } from '../../../validation/address.ts';
import { idErrors } from '../../../validation/numbers.ts';
import { fieldPath } from '../../../validation/path.ts';
import type { FieldPath } from '../../../validation/path.ts';
import type { Report } from '../../../validation/report.ts';
import { mayBeginAnew } from '../questions.ts';
import { validateClaimStatuses } from './claim-statuses.ts';

const STATUS = fieldPath('status');
const SYSTEM_CONDITIONS = new Set(['PodScheduled', 'Ready', 'Initialized']);
const BOUND = 'may not be set on pods that are already bound to a node';
const ONE_PER_FAMILY = 'may specify no more than one IP for each IP family';

/** A change of a pod's status. */
export function validatePodStatus(pod: Pod, before: Pod, report: Report): void {
  // Upstream's path of the conditions begins with the metadata's.
  validateConditions(pod.status?.conditions ?? [], fieldPath('metadata', 'conditions'), report);
  if ((pod.spec.nodeName ?? '') !== (before.spec.nodeName ?? '')) {
    report.forbidden(STATUS.child('nodeName'), 'may not be changed directly');
  }
  const nominated = pod.status?.nominatedNodeName;
  if (nominated && nominated !== before.status?.nominatedNodeName) {
    report.invalidEach(STATUS.child('nominatedNodeName'), nominated, names.subdomainErrors(nominated));
    if (before.spec.nodeName) report.forbidden(STATUS.child('nominatedNodeName'), BOUND);
  }
  const qosClass = pod.status?.qosClass ?? '';
  report.immutable(STATUS.child('qosClass'), qosClass, qosClass === (before.status?.qosClass ?? ''));
  validateTransitions(pod, before, report);
  validateClaimStatuses(pod, STATUS, report);
  validatePodIps(pod, report);
  validateHostIps(pod, report);
  for (const list of STATUS_LISTS) validateUsers(pod.status?.[list] ?? [], STATUS.child(list), report);
}

const STATUS_LISTS = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const;

function validateConditions(conditions: readonly PodCondition[], path: FieldPath, report: Report): void {
  for (const [at, { type }] of conditions.entries()) {
    if (SYSTEM_CONDITIONS.has(type)) continue;
    const errors = names.qualifiedNameErrors(type);
    if (errors.length > 0) report.invalidEach(path.index(at).child('Type'), type, errors);
  }
}

/** A container that has ended for good stays ended, unless all of its pod's may begin anew. */
function validateTransitions(pod: Pod, before: Pod, report: Report): void {
  const policy = before.spec.restartPolicy;
  const sidecars = new Set(
    (before.spec.initContainers ?? []).filter((one) => one.restartPolicy === 'Always').map((one) => one.name),
  );
  for (const list of STATUS_LISTS) {
    if ((policy === 'Always' || mayBeginAnew(before)) && list !== 'ephemeralContainerStatuses') continue;
    for (const [at, old] of (before.status?.[list] ?? []).entries()) {
      const ended = old.state?.terminated;
      if (!ended || (list === 'initContainerStatuses' && sidecars.has(old.name))) continue;
      if (list !== 'ephemeralContainerStatuses' && ended.exitCode !== 0 && policy === 'OnFailure') continue;
      if (mayRestartItself(before, old.name)) continue;
      const now = pod.status?.[list]?.find((status) => status.name === old.name);
      if (!now || now.state?.terminated) continue;
      const detail = 'may not be transitioned to non-terminated state';
      report.forbidden(STATUS.child(list).index(at).child('state'), detail);
    }
  }
}

/** Has the container a restart policy of its own that lets it start again? */
function mayRestartItself(pod: Pod, name: string): boolean {
  const all = [...(pod.spec.containers ?? []), ...(pod.spec.initContainers ?? [])];
  const policy = all.find((container) => container.name === name)?.restartPolicy;
  return policy !== undefined && policy !== null && policy !== '';
}

function validatePodIps(pod: Pod, report: Report): void {
  const ips = (pod.status?.podIPs ?? []).map((entry) => entry.ip);
  const path = STATUS.child('podIPs');
  for (const [at, ip] of ips.entries()) validateIp(ip, path.index(at), report);
  validateOnePerFamily({ ips, shown: pod.status?.podIPs }, path, report);
}

function validateHostIps(pod: Pod, report: Report): void {
  const ips = (pod.status?.hostIPs ?? []).map((entry) => entry.ip);
  const first = ips[0];
  if (first === undefined) return;
  const path = STATUS.child('hostIPs');
  if (pod.status?.hostIP !== first) report.invalid(path.index(0).child('ip'), first, 'must be equal to `hostIP`');
  for (const [at, ip] of ips.entries()) validateIp(ip, path.index(at), report);
  validateOnePerFamily({ ips, shown: pod.status?.hostIPs }, path, report);
}

function validateOnePerFamily(
  given: { readonly ips: readonly string[]; readonly shown: unknown },
  path: FieldPath,
  report: Report,
): void {
  const { ips, shown } = given;
  if (ips.length < 2) return;
  const families = new Set(ips.map(addressFamily));
  if (families.size !== 2 || ips.length > 2) report.invalid(path, shown, ONE_PER_FAMILY);
  const seen = new Set<string>();
  for (const [at, ip] of ips.entries()) {
    if (seen.has(ip)) report.duplicate(path.index(at), { ip });
    seen.add(ip);
  }
}

function validateUsers(statuses: readonly ContainerStatus[], path: FieldPath, report: Report): void {
  for (const [at, status] of statuses.entries()) {
    const user = status.user?.linux;
    if (!user) continue;
    const here = path.index(at).child('linux');
    report.invalidEach(here.child('uid'), user.uid, idErrors(user.uid));
    report.invalidEach(here.child('gid'), user.gid, idErrors(user.gid));
    for (const [groupAt, group] of (user.supplementalGroups ?? []).entries()) {
      report.invalidEach(here.child('supplementalGroups').index(groupAt), group, idErrors(group));
    }
  }
}
