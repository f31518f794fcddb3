import type { Container, Pod } from '@binnacle/api/core/v1';

export function referencesSecret(pod: Pod): boolean {
  return (
    (pod.spec.imagePullSecrets?.length ?? 0) > 0 ||
    containersOf(pod).some(
      (container) =>
        container.envFrom?.some((from) => from.secretRef !== undefined) === true ||
        container.env?.some((variable) => variable.valueFrom?.secretKeyRef !== undefined) === true,
    ) ||
    (pod.spec.volumes ?? []).some(
      (volume) =>
        volume.secret !== undefined || volume.projected?.sources.some((source) => source.secret !== undefined) === true,
    )
  );
}

export function referencesConfigMap(pod: Pod): boolean {
  return (
    containersOf(pod).some(
      (container) =>
        container.envFrom?.some((from) => from.configMapRef !== undefined) === true ||
        container.env?.some((variable) => variable.valueFrom?.configMapKeyRef !== undefined) === true,
    ) ||
    (pod.spec.volumes ?? []).some(
      (volume) =>
        volume.configMap !== undefined ||
        volume.projected?.sources.some((source) => source.configMap !== undefined) === true,
    )
  );
}

export function referencesClaim(pod: Pod): boolean {
  return (pod.spec.volumes ?? []).some(
    (volume) => volume.persistentVolumeClaim !== undefined || volume.ephemeral !== undefined,
  );
}

function containersOf(pod: Pod): readonly Container[] {
  const { containers, initContainers = [], ephemeralContainers = [] } = pod.spec;
  // An ephemeral container has the fields of a container that matter here.
  return [...containers, ...initContainers, ...(ephemeralContainers as readonly Container[])];
}
