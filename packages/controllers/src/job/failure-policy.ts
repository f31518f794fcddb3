import type { PodFailurePolicy, PodFailurePolicyAction, PodFailurePolicyRule } from '@binnacle/api/batch/v1';
import type { Pod } from '@binnacle/api/core/v1';
import { cacheKey } from '@binnacle/client';

/** What a failed pod means for its job, and why. */
export interface FailureVerdict {
  readonly action: PodFailurePolicyAction;
  /** For FailJob: as the condition tells it. */
  readonly message: string;
}

const COUNTED: FailureVerdict = { action: 'Count', message: '' };

/** The first rule that fits decides; without one the failure counts. */
export function judgeFailure(policy: PodFailurePolicy | undefined, pod: Pod): FailureVerdict {
  for (const [index, rule] of (policy?.rules ?? []).entries()) {
    const why = matchExitCodes(rule, pod) ?? matchConditions(rule, pod);
    if (why === undefined) continue;
    return { action: rule.action, message: `${why} matching ${rule.action} rule at index ${index}` };
  }
  return COUNTED;
}

function matchExitCodes({ onExitCodes }: PodFailurePolicyRule, pod: Pod): string | undefined {
  if (onExitCodes === undefined) return undefined;
  const { containerName, operator, values } = onExitCodes;
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
  for (const { name, state } of statuses) {
    if (containerName !== undefined && containerName !== name) continue;
    const code = state?.terminated?.exitCode;
    if (code === undefined || code === 0) continue;
    if (values.includes(code) !== (operator === 'In')) continue;
    return `Container ${name} for pod ${cacheKey(pod)} failed with exit code ${code}`;
  }
  return undefined;
}

function matchConditions({ onPodConditions }: PodFailurePolicyRule, pod: Pod): string | undefined {
  for (const pattern of onPodConditions ?? []) {
    const { type, status = 'True' } = pattern;
    const fits = pod.status?.conditions?.some((one) => one.type === type && one.status === status) === true;
    if (fits) return `Pod ${cacheKey(pod)} has condition ${type}`;
  }
  return undefined;
}
