import type { Container, ContainerRestartRule, Pod, ResourceRequirements } from '@binnacle/api/core/v1';
import type { ContainerStatus, SandboxStatus } from '@binnacle/runtime';
import type { ProbeVerdict } from '../probe/verdict.ts';

/** Why a container that should run does not: what its waiting state shows. */
export interface StartProblem {
  readonly reason: string;
  readonly message: string;
}

/** A pod whose definition asks, or has asked, for other resources than its containers were made with. */
export interface ResizeSeen {
  /** It has to wait, or will never be. */
  readonly pending?: { readonly reason: string; readonly message: string };
  /** It is granted, and not done yet. */
  readonly progress?: { readonly generation: number; readonly error?: string };
  /** Ids of the containers that have to be made anew. */
  readonly restarts: ReadonlySet<string>;
  /** What a running container has, of what it was given. */
  readonly reported: (container: ContainerStatus, given: ResourceRequirements) => ResourceRequirements;
  /** What the pod has as a whole; undefined: it asks for nothing as such. */
  readonly whole: ResourceRequirements | undefined;
}

/** Everything a decision about one pod is made from; deciders are pure functions of it (law 5). */
export interface PodSeen {
  /** With what its containers were given in place of what they ask for. */
  readonly pod: Pod;
  /** Newest first. */
  readonly sandboxes: readonly SandboxStatus[];
  /** What the runtime holds of the pod, newest first within each name. */
  readonly containers: readonly ContainerStatus[];
  /** By container id. */
  readonly verdicts: ReadonlyMap<string, ProbeVerdict>;
  /** By container name. */
  readonly problems: ReadonlyMap<string, StartProblem>;
  /** Absent: its containers have what it asks for. */
  readonly resize?: ResizeSeen;
  /** By container name: the last one that was taken away for all to begin anew; absent: none was. */
  readonly takenAway?: ReadonlyMap<string, ContainerStatus>;
}

export type RestartPolicy = 'Always' | 'OnFailure' | 'Never';

/** The newest container of that name. */
export function latestOf(seen: Pick<PodSeen, 'containers'>, name: string): ContainerStatus | undefined {
  return seen.containers.find((c) => c.name === name);
}

export function sortNewestFirst(containers: readonly ContainerStatus[]): readonly ContainerStatus[] {
  return containers.toSorted((a, b) => b.attempt - a.attempt || b.createdAt - a.createdAt);
}

/** `name_namespace(uid)`, as upstream's messages name a pod. */
export function podText(pod: Pod): string {
  return `${pod.metadata.name ?? ''}_${pod.metadata.namespace ?? ''}(${pod.metadata.uid ?? ''})`;
}

export function podRestartPolicy(pod: Pod): RestartPolicy {
  return (pod.spec?.restartPolicy ?? 'Always') as RestartPolicy;
}

/** Whether a container that ended so is to be started again, by its own policy and rules, then by the pod's. */
export function restartsAfter(pod: Pod, container: Container, exitCode: number): boolean {
  // With the others or alone, it starts again.
  if (ruleAfter(container, exitCode) !== undefined) return true;
  const policy = (container.restartPolicy ?? podRestartPolicy(pod)) as RestartPolicy;
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
}

/** The first of a container's rules that is about such an end. */
export function ruleAfter({ restartPolicyRules = [] }: Container, exitCode: number): ContainerRestartRule | undefined {
  return restartPolicyRules.find(({ exitCodes }) => {
    const values = exitCodes?.values ?? [];
    return exitCodes?.operator === 'NotIn' ? !values.includes(exitCode) : values.includes(exitCode);
  });
}

/** Whether a container may be started again at all once it has ended, by its own policy and rules, else by the pod's. */
export function mayRestart(pod: Pod, { restartPolicy, restartPolicyRules = [] }: Container): boolean {
  if (restartPolicyRules.some(({ action }) => action === 'Restart')) return true;
  return (restartPolicy ?? podRestartPolicy(pod)) !== 'Never';
}

/** Whether the runtime's newest container of that name calls for a start. */
export function shouldStart(seen: PodSeen, container: Container): boolean {
  const latest = latestOf(seen, container.name);
  if (latest === undefined) return true;
  if (latest.state === 'running') return false;
  if (latest.state !== 'exited') return true;
  return restartsAfter(seen.pod, container, latest.exitCode);
}

/** Whether a regular container was ever made in the pod's present sandbox. */
export function hasRegularContainer(seen: PodSeen, sandboxId: string | undefined): boolean {
  const names = new Set((seen.pod.spec?.containers ?? []).map((c) => c.name));
  return seen.containers.some((c) => c.sandboxId === sandboxId && names.has(c.name));
}

/** Whether the sandbox cannot be used, and why; upstream's words. */
export function sandboxNeeded(seen: PodSeen): {
  readonly needed: boolean;
  readonly attempt: number;
  readonly reason: string;
} {
  const [latest] = seen.sandboxes;
  if (latest === undefined)
    return { needed: true, attempt: 0, reason: 'No sandbox for pod can be found. Need to start a new one' };
  const attempt = latest.attempt + 1;
  if (seen.sandboxes.filter((s) => s.state === 'ready').length > 1) {
    return { needed: true, attempt, reason: 'Multiple sandboxes are ready for Pod. Need to reconcile them' };
  }
  if (latest.state !== 'ready')
    return { needed: true, attempt, reason: 'No ready sandbox for pod can be found. Need to start a new one' };
  if (seen.pod.spec?.hostNetwork !== true && latest.ips.length === 0) {
    return { needed: true, attempt, reason: 'Sandbox for pod has no IP address. Need to start a new one' };
  }
  return { needed: false, attempt: latest.attempt, reason: '' };
}
