import type { Draft } from '../../draft.ts';
import type { Pod, PodSpec, PodStatus, PodTemplate, PodTemplateSpec } from '../../generated/core-v1.ts';
import { defaultContainer, defaultHostPorts, defaultRequestsFromLimits } from './container-defaults.ts';
import { defaultPodResources } from './pod-resource-defaults.ts';
import { defaultVolume } from './volume-defaults.ts';

/** Defaults of a Pod (core v1), those that templates do not get included. */
export function defaultPod(pod: Draft<Pod>): void {
  if (pod.metadata.annotations) dropInitContainerAnnotations(pod.metadata.annotations);
  if (pod.status) alignIps(pod.status);
  const spec = pod.spec;
  if (!spec) return;
  defaultPodSpec(spec);
  for (const container of spec.containers ?? []) defaultRequestsFromLimits(container);
  for (const container of spec.initContainers ?? []) defaultRequestsFromLimits(container);
  if (spec.resources) defaultPodResources(spec);
  spec.enableServiceLinks ??= true;
  if (spec.hostNetwork) {
    for (const container of spec.containers ?? []) defaultHostPorts(container.ports);
    for (const container of spec.initContainers ?? []) defaultHostPorts(container.ports);
  }
}

/** Defaults of the pod template of a workload. */
export function defaultPodTemplate(template: Draft<PodTemplateSpec> | undefined): void {
  if (template?.spec) defaultPodSpec(template.spec);
}

/** Defaults of a PodTemplate, the kind. */
export function defaultPodTemplateObject(object: Draft<PodTemplate>): void {
  defaultPodTemplate(object.template);
}

/** Defaults that pods and templates share, the older name of the service account with its newer one. */
export function defaultPodSpec(spec: Draft<PodSpec>): void {
  if (!spec.dnsPolicy) spec.dnsPolicy = 'ClusterFirst';
  if (!spec.restartPolicy) spec.restartPolicy = 'Always';
  if (!spec.schedulerName) spec.schedulerName = 'default-scheduler';
  spec.securityContext ??= {};
  spec.terminationGracePeriodSeconds ??= 30;
  aliasServiceAccount(spec);
  for (const container of spec.containers ?? []) defaultContainer(container);
  if (spec.initContainers) for (const container of spec.initContainers) defaultContainer(container);
  if (spec.ephemeralContainers) for (const container of spec.ephemeralContainers) defaultContainer(container);
  if (spec.volumes) for (const volume of spec.volumes) defaultVolume(volume);
}

/** `serviceAccount` is the old name of `serviceAccountName`; both are always shown, and the new one wins. */
function aliasServiceAccount(spec: Draft<PodSpec>): void {
  const name = spec.serviceAccountName || spec.serviceAccount;
  if (!name) return;
  spec.serviceAccountName = name;
  spec.serviceAccount = name;
}

/** Init containers were annotations before Kubernetes 1.8; no kubelet must take them for real any more. */
const INIT_CONTAINER_ANNOTATIONS = [
  'pod.beta.kubernetes.io/init-containers',
  'pod.alpha.kubernetes.io/init-containers',
  'pod.beta.kubernetes.io/init-container-statuses',
  'pod.alpha.kubernetes.io/init-container-statuses',
];

function dropInitContainerAnnotations(annotations: { [key: string]: string }): void {
  for (const key of INIT_CONTAINER_ANNOTATIONS) if (annotations[key] !== undefined) delete annotations[key];
}

/** `podIP` is the first of `podIPs`; where they differ the older, single one is right. */
function alignIps(status: Draft<PodStatus>): void {
  const first = status.podIPs?.[0]?.ip;
  if (status.podIP) {
    if (status.podIP !== first) status.podIPs = [{ ip: status.podIP }];
  } else if (first) status.podIP = first;
}
