import type { Container, Pod, ResourceRequirements } from '../../../generated/core-v1.ts';
import { isSemanticallyEqual } from '../../../validation/equality.ts';
import { fieldPath } from '../../../validation/path.ts';
import type { FieldPath } from '../../../validation/path.ts';
import type { Report } from '../../../validation/report.ts';
import { podQosClass } from '../qos.ts';
import { isSidecar } from '../questions.ts';

const SPEC = fieldPath('spec');
const LISTS = ['requests', 'limits'] as const;

type Amounts = { readonly [name: string]: string } | undefined;
type Resources = ResourceRequirements | undefined;

/** What may change while a pod runs: cpu and memory of it as a whole and of its containers, within its class of service. */
export function validateResize(pod: Pod, before: Pod, report: Report): void {
  if ((before.status?.qosClass ?? podQosClass(before)) !== podQosClass(pod)) {
    const detail = 'Pod QOS Class may not change as a result of resizing';
    report.invalid(SPEC, pod.status?.qosClass ?? '', detail);
  }
  if (!doesNodeResize(before)) report.forbidden(SPEC, 'Pod running on node without support for resize');
  validatePodLevel(pod.spec.resources, before.spec.resources, report);
  if (!validateOrder(pod, before, report)) return;
  const changes = (list: 'containers' | 'initContainers'): readonly Change[] =>
    (before.spec[list] ?? []).map((old, at) => ({
      old,
      now: pod.spec[list]?.[at],
      path: SPEC.child(list).index(at),
    }));
  const [init, main] = [changes('initContainers'), changes('containers')];
  for (const change of [...init, ...main]) validateRemoval(change, report);
  for (const change of main) {
    if (!isEqualApart(change)) report.forbidden(SPEC, 'only cpu and memory resources are mutable');
  }
  for (const change of init) validateInitContainer(change, report);
}

/** Of the pod as a whole. Whether its node can do that is for admission to say. */
function validatePodLevel(now: Resources, old: Resources, report: Report): void {
  if (!hasAmounts(now) && !hasAmounts(old)) return;
  const path = SPEC.child('resources');
  if (old !== undefined && now === undefined) {
    report.forbidden(path, 'pod-level resources cannot be removed');
    return;
  }
  for (const list of LISTS) {
    if (keepsAll(now?.[list], old?.[list])) continue;
    report.forbidden(path.child(list), `pod-level resource ${list} cannot be removed`);
  }
  if (isSemanticallyEqual('core.v1.ResourceRequirements', now && withoutAmounts(now), old && withoutAmounts(old)))
    return;
  report.forbidden(SPEC, 'only cpu and memory resources are mutable at pod-level');
}

function hasAmounts(resources: Resources): boolean {
  return LISTS.some((list) => Object.keys(resources?.[list] ?? {}).length > 0);
}

/** Answers whether the containers are those of before, in their order. */
function validateOrder(pod: Pod, before: Pod, report: Report): boolean {
  let isSame = true;
  for (const list of ['containers', 'initContainers'] as const) {
    const [old, now] = [before.spec[list] ?? [], pod.spec[list] ?? []];
    if (old.length !== now.length) {
      report.forbidden(SPEC.child(list), `${list} may not be added or removed on resize`);
      isSame = false;
      continue;
    }
    for (const [at, { name }] of old.entries()) {
      if (now[at]?.name === name) continue;
      report.forbidden(SPEC.child(list).index(at).child('name'), `${list} may not be renamed or reordered on resize`);
      isSame = false;
    }
  }
  return isSame;
}

/** A kubelet that resizes says what its running containers have got; where nothing runs nobody can tell. */
function doesNodeResize(pod: Pod): boolean {
  const running = pod.status?.containerStatuses?.find((status) => status.state?.running);
  return running === undefined || running.resources !== undefined;
}

interface Change {
  readonly old: Container;
  readonly now: Container | undefined;
  readonly path: FieldPath;
}

function validateInitContainer({ old, now, path }: Change, report: Report): void {
  if (!isEqualApart({ old, now })) {
    report.forbidden(path, 'only cpu and memory resources for init or sidecar containers are mutable');
  }
  if (isSidecar(old) || isSemanticallyEqual('core.v1.Container', old, now)) return;
  for (const { restartPolicy } of now?.resizePolicy ?? []) {
    if (restartPolicy !== 'RestartContainer') continue;
    const detail = 'non-sidecar init containers with a resize policy of RestartContainer cannot be resized';
    report.forbidden(path, detail);
  }
}

function validateRemoval({ old, now, path }: Change, report: Report): void {
  for (const list of LISTS) {
    if (keepsAll(now?.resources?.[list], old.resources?.[list])) continue;
    report.forbidden(path.child('resources').child(list), `resource ${list} cannot be removed`);
  }
}

function keepsAll(now: Amounts, old: Amounts): boolean {
  return Object.keys(old ?? {}).every((name) => now && Object.hasOwn(now, name));
}

/** Whether nothing else than amounts of cpu and memory differs. */
function isEqualApart({ old, now }: Pick<Change, 'old' | 'now'>): boolean {
  return isSemanticallyEqual('core.v1.Container', withoutCompute(old), now && withoutCompute(now));
}

function withoutCompute(container: Container): unknown {
  const { resources, ...rest } = container;
  return { ...rest, resources: resources && withoutAmounts(resources) };
}

function withoutAmounts(resources: ResourceRequirements): unknown {
  const without = (amounts: Amounts): unknown => {
    const { cpu: _cpu, memory: _memory, ...others } = amounts ?? {};
    return others;
  };
  return { ...resources, requests: without(resources.requests), limits: without(resources.limits) };
}
