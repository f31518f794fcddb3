import { JOBS, wellknown } from '@binnacle/api';
import type { Job } from '@binnacle/api/batch/v1';
import type { Container, Pod } from '@binnacle/api/core/v1';
import type { Draft } from '@binnacle/client';
import { controllerReference, podFromTemplate, PodNames } from '@binnacle/reconcile';
import { TRACKING } from './accounting.ts';
import { INDEX_FAILURES, INDEX_IGNORED_FAILURES } from './index-failures.ts';
import type { IndexFailures } from './index-failures.ts';

const INDEX_VARIABLE = 'JOB_COMPLETION_INDEX';

/** The names of the pods of a job, or of one of its indexes. */
export function namesFor(job: Job, index: number | undefined): PodNames {
  const { name = '', uid = '' } = job.metadata;
  return index === undefined ? new PodNames(name, uid) : new PodNames(`${name}-${index}`, `${uid}/${index}`);
}

/** A pod of the job, kept by the tracking finalizer; one of an index knows it and is called by it. */
export function podFor(
  job: Job,
  as: { readonly name: string; readonly index: number | undefined; readonly failures?: IndexFailures | undefined },
): Draft<Pod> {
  const { name = '', namespace = '' } = job.metadata;
  const owner = controllerReference(JOBS, job);
  const { index } = as;
  const prefix = namesFor(job, index).prefix;
  const draft = podFromTemplate(job.spec.template, { name: as.name, prefix, namespace, owner });
  const finalizers = [...(draft.metadata.finalizers ?? []), TRACKING];
  if (index === undefined) return { ...draft, metadata: { ...draft.metadata, finalizers } };
  const mark = { [wellknown.LABEL_JOB_COMPLETION_INDEX]: String(index) };
  const perIndex = job.spec.backoffLimitPerIndex === undefined ? {} : failureMarks(as.failures);
  return {
    metadata: {
      ...draft.metadata,
      finalizers,
      labels: { ...draft.metadata.labels, ...mark },
      annotations: { ...draft.metadata.annotations, ...mark, ...perIndex },
    },
    spec: {
      ...draft.spec,
      hostname: `${name}-${index}`,
      containers: draft.spec.containers.map(withIndex),
      ...(draft.spec.initContainers === undefined ? {} : { initContainers: draft.spec.initContainers.map(withIndex) }),
    },
  };
}

function failureMarks({ counted, ignored }: IndexFailures = { counted: 0, ignored: 0 }): { [name: string]: string } {
  return { [INDEX_FAILURES]: String(counted), ...(ignored === 0 ? {} : { [INDEX_IGNORED_FAILURES]: String(ignored) }) };
}

function withIndex(container: Container): Container {
  const env = container.env ?? [];
  if (env.some((one) => one.name === INDEX_VARIABLE)) return container;
  const fieldPath = `metadata.labels['${wellknown.LABEL_JOB_COMPLETION_INDEX}']`;
  return { ...container, env: [...env, { name: INDEX_VARIABLE, valueFrom: { fieldRef: { fieldPath } } }] };
}
