import type { ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet } from '@binnacle/api/apps/v1';
import type { CronJob, Job } from '@binnacle/api/batch/v1';
import type { PodTemplate, PodTemplateSpec, ReplicationController } from '@binnacle/api/core/v1';
import { formatSelector, selectorFromObject } from '@binnacle/machinery';
import type { LabelSelector } from '@binnacle/machinery';
import {
  AGE,
  NAME,
  between,
  createdAgo,
  integer,
  labelsText,
  nameOf,
  orNone,
  printer,
  since,
  text,
  wide,
} from '../../render/columns.ts';
import type { Cell } from '../../render/columns.ts';

const CONTAINERS = wide(text('Containers', 'Names of the containers of the pod template.'));
const IMAGES = wide(text('Images', 'Images of the containers of the pod template.'));
const SELECTOR = wide(text('Selector', 'Labels of the pods that belong to it.'));
const DESIRED = integer('Desired', 'Pods wanted.');
const CURRENT = integer('Current', 'Pods that exist.');
const READY = integer('Ready', 'Pods that are ready.');
const UP_TO_DATE = integer('Up-to-date', 'Pods of the newest template.');
const AVAILABLE = integer('Available', 'Pods that are ready for long enough.');

function templateCells(template: PodTemplateSpec | undefined): readonly Cell[] {
  const containers = template?.spec.containers ?? [];
  return [containers.map((one) => one.name).join(','), containers.map((one) => one.image ?? '').join(',')];
}

function selectorText(selector: LabelSelector | undefined): string {
  if (selector === undefined) return '<none>';
  return orNone(formatSelector(selectorFromObject(selector)));
}

export const replicationControllerPrinter = printer<ReplicationController>(
  [NAME, DESIRED, CURRENT, READY, AGE, CONTAINERS, IMAGES, SELECTOR],
  (rc, now) => [
    nameOf(rc),
    rc.spec.replicas ?? 0,
    rc.status?.replicas ?? 0,
    rc.status?.readyReplicas ?? 0,
    createdAgo(rc, now),
    ...templateCells(rc.spec.template),
    labelsText(rc.spec.selector),
  ],
);

export const replicaSetPrinter = printer<ReplicaSet>(
  [NAME, DESIRED, CURRENT, READY, AGE, CONTAINERS, IMAGES, SELECTOR],
  (set, now) => [
    nameOf(set),
    set.spec.replicas ?? 0,
    set.status?.replicas ?? 0,
    set.status?.readyReplicas ?? 0,
    createdAgo(set, now),
    ...templateCells(set.spec.template),
    selectorText(set.spec.selector),
  ],
);

export const deploymentPrinter = printer<Deployment>(
  [
    NAME,
    text('Ready', 'Pods that are ready, of those wanted.'),
    UP_TO_DATE,
    AVAILABLE,
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
  ],
  (deployment, now) => [
    nameOf(deployment),
    `${deployment.status?.readyReplicas ?? 0}/${deployment.spec.replicas ?? 0}`,
    deployment.status?.updatedReplicas ?? 0,
    deployment.status?.availableReplicas ?? 0,
    createdAgo(deployment, now),
    ...templateCells(deployment.spec.template),
    selectorText(deployment.spec.selector),
  ],
);

export const daemonSetPrinter = printer<DaemonSet>(
  [
    NAME,
    DESIRED,
    CURRENT,
    READY,
    UP_TO_DATE,
    AVAILABLE,
    text('Node Selector', 'Labels of the nodes that get a pod.'),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
  ],
  (set, now) => [
    nameOf(set),
    set.status?.desiredNumberScheduled ?? 0,
    set.status?.currentNumberScheduled ?? 0,
    set.status?.numberReady ?? 0,
    set.status?.updatedNumberScheduled ?? 0,
    set.status?.numberAvailable ?? 0,
    labelsText(set.spec.template.spec.nodeSelector),
    createdAgo(set, now),
    ...templateCells(set.spec.template),
    selectorText(set.spec.selector),
  ],
);

export const statefulSetPrinter = printer<StatefulSet>(
  [NAME, text('Ready', 'Pods that are ready, of those wanted.'), AGE, CONTAINERS, IMAGES],
  (set, now) => [
    nameOf(set),
    `${set.status?.readyReplicas ?? 0}/${set.spec.replicas ?? 0}`,
    createdAgo(set, now),
    ...templateCells(set.spec.template),
  ],
);

export const controllerRevisionPrinter = printer<ControllerRevision>(
  [NAME, text('Controller', 'What it is a revision of.'), integer('Revision', 'Number of the revision.'), AGE],
  (revision, now) => {
    const owner = revision.metadata.ownerReferences?.find((one) => one.controller === true);
    const shown = owner === undefined ? '<none>' : `${kindAndGroup(owner)}/${owner.name}`;
    return [nameOf(revision), shown, revision.revision, createdAgo(revision, now)];
  },
);

function kindAndGroup({ apiVersion, kind }: { apiVersion: string; kind: string }): string {
  const [group = '', version] = apiVersion.split('/');
  return version === undefined ? kind.toLowerCase() : `${kind.toLowerCase()}.${group}`;
}

export const podTemplatePrinter = printer<PodTemplate>(
  [
    NAME,
    text('Containers', 'Names of the containers.'),
    text('Images', 'Images of the containers.'),
    text('Pod Labels', 'Labels of the pods.'),
  ],
  (template) => [nameOf(template), ...templateCells(template.template), labelsText(template.template?.metadata.labels)],
);

export const jobPrinter = printer<Job>(
  [
    NAME,
    text('Status', 'How far the job is.'),
    text('Completions', 'Pods that succeeded, of those wanted.'),
    text('Duration', 'How long it took, or has taken so far.'),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
  ],
  (job, now) => {
    const started = job.status?.startTime;
    return [
      nameOf(job),
      jobStatus(job),
      completionsText(job),
      started ? between(started, job.status?.completionTime, now) : '',
      createdAgo(job, now),
      ...templateCells(job.spec.template),
      selectorText(job.spec.selector),
    ];
  },
);

function jobStatus({ metadata, status }: Job): string {
  const holds = (type: string): boolean =>
    status?.conditions?.some((one) => one.type === type && one.status === 'True') === true;
  if (holds('Complete')) return 'Complete';
  if (holds('Failed')) return 'Failed';
  if ((metadata.deletionTimestamp ?? '') !== '') return 'Terminating';
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find(holds) ?? 'Running';
}

function completionsText({ spec, status }: Job): string {
  const done = status?.succeeded ?? 0;
  if (spec.completions !== undefined) return `${done}/${spec.completions}`;
  const parallelism = spec.parallelism ?? 0;
  return parallelism > 1 ? `${done}/1 of ${parallelism}` : `${done}/1`;
}

export const cronJobPrinter = printer<CronJob>(
  [
    NAME,
    text('Schedule', 'When it runs, in cron form.'),
    text('Timezone', 'Time zone of the schedule.'),
    text('Suspend', 'Whether it is held back.'),
    integer('Active', 'Jobs that run now.'),
    text('Last Schedule', 'How long ago it was due last.'),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
  ],
  (cron, now) => {
    const last = cron.status?.lastScheduleTime;
    const { jobTemplate, suspend } = cron.spec;
    return [
      nameOf(cron),
      cron.spec.schedule,
      orNone(cron.spec.timeZone),
      suspend === undefined ? '<unset>' : suspend ? 'True' : 'False',
      cron.status?.active?.length ?? 0,
      last ? since(last, now) : '<none>',
      createdAgo(cron, now),
      ...templateCells(jobTemplate.spec.template),
      selectorText(jobTemplate.spec.selector),
    ];
  },
);
