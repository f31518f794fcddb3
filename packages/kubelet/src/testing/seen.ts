import type { ContainerStatus as ApiContainerStatus, Pod } from '@binnacle/api/core/v1';
import type { ContainerStatus, SandboxStatus } from '@binnacle/runtime';
import { ALLOCATED_RESOURCES, CONTAINER_HASH, RESTART_COUNT, containerHash } from '../container/labels.ts';
import { sortNewestFirst } from '../pod/seen.ts';
import { allContainers } from '../container/pod-containers.ts';
import type { PodSeen, StartProblem } from '../pod/seen.ts';
import type { ProbeVerdict } from '../probe/verdict.ts';

/** A sandbox as a runtime tells of it. */
export function sandbox(of: Partial<SandboxStatus> = {}): SandboxStatus {
  const attempt = of.attempt ?? 0;
  return {
    id: `s${attempt}`,
    name: 'web',
    namespace: 'default',
    uid: 'uid-web',
    attempt,
    state: 'ready',
    createdAt: 1_000,
    labels: {},
    annotations: {},
    ips: ['10.1.0.2'],
    ...of,
  };
}

/** A container of the pod as a runtime tells of it: `main` running in `s0` unless told otherwise. */
export function container(pod: Pod, of: Partial<ContainerStatus> = {}): ContainerStatus {
  const name = of.name ?? 'main';
  const attempt = of.attempt ?? 0;
  const spec = allContainers(pod).find((c) => c.name === name);
  return {
    id: `${name}-${attempt}`,
    sandboxId: 's0',
    name,
    attempt,
    state: 'running',
    createdAt: 2_000 + attempt,
    image: spec?.image ?? '',
    imageRef: 'sha256:1',
    labels: {},
    annotations: {
      [RESTART_COUNT]: String(attempt),
      ...(spec === undefined ? {} : { [CONTAINER_HASH]: containerHash(spec) }),
      ...(spec?.resources === undefined ? {} : { [ALLOCATED_RESOURCES]: JSON.stringify(spec.resources) }),
    },
    startedAt: 3_000,
    finishedAt: of.state === 'exited' ? 4_000 : 0,
    exitCode: 0,
    reason: '',
    message: '',
    logPath: '',
    ...of,
  };
}

/** What is seen of a pod, made from its parts. */
export function seenOf(
  pod: Pod,
  of: {
    readonly sandboxes?: readonly SandboxStatus[];
    readonly containers?: readonly ContainerStatus[];
    readonly verdicts?: { readonly [id: string]: ProbeVerdict };
    readonly problems?: { readonly [name: string]: StartProblem };
  } = {},
): PodSeen {
  return {
    pod,
    sandboxes: (of.sandboxes ?? [sandbox()]).toSorted((a, b) => b.attempt - a.attempt),
    containers: sortNewestFirst(of.containers ?? []),
    verdicts: new Map(Object.entries(of.verdicts ?? {})),
    problems: new Map(Object.entries(of.problems ?? {})),
  };
}

/** A container's status as the API shows it. */
export function shown(name: string, of: Partial<ApiContainerStatus> = {}): ApiContainerStatus {
  return { name, ready: false, restartCount: 0, image: '', imageID: '', ...of };
}
