import { isConditionTrue } from '../condition.ts';
import type { Job } from '../generated/batch-v1.ts';
import type { Affinity, Container, PodTemplateSpec } from '../generated/core-v1.ts';

/**
 * Whether nothing of the job runs: it is suspended, and has not started yet or its pods are gone again. What its pods
 * take and where they go may change then (a queue decides that).
 */
export function isWaiting({ spec, status }: Job): boolean {
  if (spec.suspend !== true || (status?.active ?? 0) !== 0) return false;
  return status?.startTime === undefined || isConditionTrue(status.conditions, 'Suspended');
}

/**
 * The template that a changed job must have: the old one. While the job waits, node affinity, node selector,
 * tolerations, gates, labels, annotations and what its containers take are taken from the new template.
 */
export function templateForUpdate(job: Job, before: Job): PodTemplateSpec {
  const old = before.spec.template;
  const { template } = job.spec;
  if (!isWaiting(before) || !old.spec || !template.spec) return old;
  const { nodeSelector, tolerations, schedulingGates } = template.spec;
  const { affinity: _a, nodeSelector: _n, tolerations: _t, schedulingGates: _g, ...spec } = old.spec;
  const { labels, annotations } = template.metadata ?? {};
  const affinity = affinityForUpdate(template.spec.affinity, old.spec.affinity);
  return {
    ...old,
    metadata: { ...old.metadata, labels: labels ?? {}, annotations: annotations ?? {} },
    spec: {
      ...spec,
      ...containersForUpdate(template.spec, old.spec),
      ...(affinity && { affinity }),
      ...(nodeSelector && { nodeSelector }),
      ...(tolerations && { tolerations }),
      ...(schedulingGates && { schedulingGates }),
    },
  };
}

type Containers = Pick<NonNullable<PodTemplateSpec['spec']>, 'containers' | 'initContainers'>;

function containersForUpdate(now: Containers, old: Containers): Containers {
  return {
    containers: withResources(old.containers, now.containers),
    ...(old.initContainers && { initContainers: withResources(old.initContainers, now.initContainers) }),
  };
}

/** Taken over place by place; others in number or order stay as they were. */
function withResources(
  old: readonly Container[] | null | undefined,
  now: readonly Container[] | null | undefined,
): Container[] {
  if (!old || now?.length !== old.length) return [...(old ?? [])];
  return old.map((container, at) => {
    const changed = now[at];
    if (changed?.name !== container.name) return container;
    const { resources: _, ...rest } = container;
    return { ...rest, ...(changed.resources && { resources: changed.resources }) };
  });
}

/** One of before that said nothing else may be gone. */
function affinityForUpdate(now: Affinity | undefined, old: Affinity | undefined): Affinity | undefined {
  const { nodeAffinity: _, ...rest } = old ?? {};
  if (now === undefined) return Object.keys(rest).length === 0 ? undefined : rest;
  return now.nodeAffinity ? { ...rest, nodeAffinity: now.nodeAffinity } : rest;
}
