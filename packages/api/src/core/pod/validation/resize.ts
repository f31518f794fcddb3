import type { Container, Pod, ResourceRequirements } from '../../../generated/core-v1.ts';
import { isSemanticallyEqual } from '../../../validation/equality.ts';
import { fieldPath } from '../../../validation/path.ts';
import type { FieldPath } from '../../../validation/path.ts';
import type { Report } from '../../../validation/report.ts';
import { podQosClass } from '../qos.ts';

const SPEC = fieldPath('spec');
const LISTS = ['requests', 'limits'] as const;

type Amounts = { readonly [name: string]: string } | undefined;

/** What may change while a pod runs: cpu and memory of its containers and sidecars, within its class of service. */
export function validateResize(pod: Pod, before: Pod, report: Report): void {
  if ((before.status?.qosClass ?? podQosClass(before)) !== podQosClass(pod)) {
    const detail = 'Pod QOS Class may not change as a result of resizing';
    report.invalid(SPEC, pod.status?.qosClass ?? '', detail);
  }
  if (!doesNodeResize(before)) report.forbidden(SPEC, 'Pod running on node without support for resize');
  if (!validateOrder(pod, before, report)) return;
  for (const [at, old] of (before.spec.initContainers ?? []).entries()) {
    validateInitContainer({ old, now: pod.spec.initContainers?.[at] }, SPEC.child('initContainers').index(at), report);
  }
  for (const [at, old] of (before.spec.containers ?? []).entries()) {
    const now = pod.spec.containers?.[at];
    validateRemoval({ old, now }, SPEC.child('containers').index(at), report);
    if (isEqualApart({ old, now })) continue;
    report.forbidden(SPEC, 'only cpu and memory resources are mutable');
  }
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
}

function validateInitContainer(change: Change, path: FieldPath, report: Report): void {
  if (change.old.restartPolicy !== 'Always') {
    if (isSemanticallyEqual(change.old, change.now)) return;
    report.forbidden(SPEC, 'resources for non-sidecar init containers are immutable');
    return;
  }
  validateRemoval(change, path, report);
  if (isEqualApart(change)) return;
  report.forbidden(SPEC, 'only cpu and memory resources for sidecar containers are mutable');
}

function validateRemoval({ old, now }: Change, path: FieldPath, report: Report): void {
  for (const list of LISTS) {
    const kept: Amounts = now?.resources?.[list];
    if (Object.keys(old.resources?.[list] ?? {}).every((name) => kept && Object.hasOwn(kept, name))) continue;
    report.forbidden(path.child('resources').child(list), `resource ${list} cannot be removed`);
  }
}

/** Whether nothing else than amounts of cpu and memory differs. */
function isEqualApart({ old, now }: Change): boolean {
  return isSemanticallyEqual(withoutCompute(old), now && withoutCompute(now));
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
