import { wellknown } from '@binnacle/api';
import type { Draft } from '@binnacle/api';
import type { Container, Pod, Service } from '@binnacle/api/core/v1';
import { field } from '@binnacle/machinery';
import type { AdmissionAttributes, AdmissionPlugin } from '../ports/admission.ts';
import { refuse } from './refusal.ts';

type Handles = AdmissionPlugin['handles'];

/** Pods themselves, not their subresources. */
export const createsOrUpdatesPods: Handles = (operation, info, subresource) =>
  (operation === 'CREATE' || operation === 'UPDATE') &&
  subresource === '' &&
  info.group === '' &&
  info.resource === 'pods';

interface Located {
  readonly container: Draft<Pick<Container, 'image' | 'imagePullPolicy'>>;
  readonly path: string;
}

function containersOf({ spec }: Draft<Pod>): Located[] {
  const lists = [
    ['initContainers', spec.initContainers],
    ['containers', spec.containers],
    ['ephemeralContainers', spec.ephemeralContainers],
  ] as const;
  return lists.flatMap(([name, list]) =>
    (list ?? []).map((container, i) => ({ container, path: field.index(`spec.${name}`, i) })),
  );
}

/** An update that brings no image is let be: its pod was pulled by the rules of its day. */
function bringsNoImage({ operation, object, before }: AdmissionAttributes): boolean {
  if (operation !== 'UPDATE') return false;
  const old = new Set(containersOf(before as Draft<Pod>).map(({ container }) => container.image));
  return containersOf(object as Draft<Pod>).every(({ container }) => old.has(container.image));
}

/** Every pod shows its right to an image each time it starts. */
export const alwaysPullImages: AdmissionPlugin = {
  name: 'AlwaysPullImages',
  changes: 'anything',
  handles: createsOrUpdatesPods,
  admit(attributes) {
    if (bringsNoImage(attributes)) return;
    const pod = attributes.object as Draft<Pod>;
    for (const { container } of containersOf(pod)) container.imagePullPolicy = 'Always';
    for (const { image } of pod.spec.volumes ?? []) {
      if (image !== undefined) image.pullPolicy = 'Always';
    }
  },
  validate(attributes) {
    if (bringsNoImage(attributes)) return;
    const pod = attributes.object as Draft<Pod>;
    const wrong = containersOf(pod)
      .filter(({ container }) => container.imagePullPolicy !== 'Always')
      .map(({ container, path }) =>
        field.notSupported(`${path}.imagePullPolicy`, container.imagePullPolicy ?? '', ['Always']),
      );
    for (const [i, { image }] of (pod.spec.volumes ?? []).entries()) {
      if (image === undefined || image.pullPolicy === 'Always') continue;
      wrong.push(
        field.notSupported(`${field.index('spec.volumes', i)}.image.pullPolicy`, image.pullPolicy ?? '', ['Always']),
      );
    }
    if (wrong.length === 0) return;
    throw refuse(attributes, wrong.length === 1 ? String(wrong[0]) : `[${wrong.join(', ')}]`);
  },
};

const HOSTNAME = wellknown.LABEL_HOSTNAME;

/** Nobody keeps others out of more than a node. */
export const limitHardAntiAffinity: AdmissionPlugin = {
  name: 'LimitPodHardAntiAffinityTopology',
  handles: createsOrUpdatesPods,
  validate(attributes) {
    const { affinity } = (attributes.object as Pod).spec;
    for (const { topologyKey } of affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []) {
      if (topologyKey === HOSTNAME) continue;
      throw refuse(
        attributes,
        `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${topologyKey} but only key ${HOSTNAME} is allowed`,
      );
    }
  },
};

/** Nobody takes traffic for addresses of others. */
export const denyExternalIps: AdmissionPlugin = {
  name: 'DenyServiceExternalIPs',
  handles: (operation, info, subresource) =>
    (operation === 'CREATE' || operation === 'UPDATE') &&
    subresource === '' &&
    info.group === '' &&
    info.resource === 'services',
  validate(attributes) {
    const old = new Set((attributes.before as Service | undefined)?.spec?.externalIPs);
    if ((attributes.object as Service).spec?.externalIPs?.every((ip) => old.has(ip)) ?? true) return;
    throw refuse(attributes, 'Use of external IPs is denied by admission control');
  },
};

/** Lets everything pass, as if it were not there. */
export const alwaysAdmit: AdmissionPlugin = { name: 'AlwaysAdmit', handles: () => false };

/** Lets nothing pass. */
export const alwaysDeny: AdmissionPlugin = {
  name: 'AlwaysDeny',
  handles: () => true,
  admit(attributes) {
    throw refuse(attributes, 'admission control is denying all modifications');
  },
};
