import type { Job } from '../generated/batch-v1.ts';
import type { Affinity, PodTemplateSpec } from '../generated/core-v1.ts';

/**
 * The template that a changed job must have: the old one. While the job is suspended and has not started yet, where
 * its pods go may still change (a queue decides that): node affinity, node selector, tolerations, gates, and labels
 * and annotations are taken from the new template then.
 */
export function templateForUpdate(job: Job, before: Job): PodTemplateSpec {
  const old = before.spec.template;
  const { template } = job.spec;
  const isWaiting = before.spec.suspend === true && before.status?.startTime === undefined;
  if (!isWaiting || !old.spec || !template.spec) return old;
  const { nodeSelector, tolerations, schedulingGates } = template.spec;
  const { affinity: _a, nodeSelector: _n, tolerations: _t, schedulingGates: _g, ...spec } = old.spec;
  const { labels, annotations } = template.metadata ?? {};
  const affinity = affinityForUpdate(template.spec.affinity, old.spec.affinity);
  return {
    ...old,
    metadata: { ...old.metadata, labels: labels ?? {}, annotations: annotations ?? {} },
    spec: {
      ...spec,
      ...(affinity && { affinity }),
      ...(nodeSelector && { nodeSelector }),
      ...(tolerations && { tolerations }),
      ...(schedulingGates && { schedulingGates }),
    },
  };
}

function affinityForUpdate(now: Affinity | undefined, old: Affinity | undefined): Affinity | undefined {
  const { nodeAffinity: _, ...rest } = old ?? {};
  return now?.nodeAffinity ? { ...rest, nodeAffinity: now.nodeAffinity } : rest;
}
