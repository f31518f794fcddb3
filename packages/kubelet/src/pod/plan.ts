import { isSidecar, mayRestartAll } from '@binnacle/api';
import type { Container, EphemeralContainer } from '@binnacle/api/core/v1';
import type { ContainerStatus } from '@binnacle/runtime';
import { CONTAINER_HASH, containerHash } from '../container/labels.ts';
import { restartTriggers } from './restart-all.ts';
import {
  hasRegularContainer,
  latestOf,
  mayRestart,
  podRestartPolicy,
  restartsAfter,
  sandboxNeeded,
  shouldStart,
} from './seen.ts';
import type { PodSeen } from './seen.ts';

export type ContainerRole = 'init' | 'regular' | 'ephemeral';

export interface KillOrder {
  readonly id: string;
  readonly name: string;
  /** Text of the Killing event. */
  readonly message: string;
  /** A probe that failed may shorten the grace. */
  readonly graceSeconds?: number;
}

export interface StartOrder {
  readonly role: ContainerRole;
  readonly container: Container | EphemeralContainer;
}

/** What to do for one pod now. `start` is in order. */
export interface PodPlan {
  /** Take all away but the sandbox, and what asked for it last: the pod begins anew. */
  readonly restartAll: boolean;
  /** Stop all containers and the sandbox first. */
  readonly killPod: boolean;
  /** The attempt number of a sandbox to make. */
  readonly createSandbox: number | undefined;
  /** The sandbox that existed is of no more use (not the first one): an event tells. */
  readonly sandboxChanged: boolean;
  readonly kill: readonly KillOrder[];
  readonly start: readonly StartOrder[];
}

const NOTHING: PodPlan = {
  restartAll: false,
  killPod: false,
  createSandbox: undefined,
  sandboxChanged: false,
  kill: [],
  start: [],
};

/** From what is seen of a pod that should run to what should be done. Pure; right after any number of missed events. */
export function decidePod(seen: PodSeen): PodPlan {
  if (restartTriggers(seen).length > 0) return { ...NOTHING, restartAll: true };
  const sandbox = sandboxNeeded(seen);
  return sandbox.needed ? decideWithoutSandbox(seen, sandbox.attempt) : decideInSandbox(seen);
}

function decideWithoutSandbox(seen: PodSeen, attempt: number): PodPlan {
  const { pod } = seen;
  const restarted = attempt !== 0;
  if (podRestartPolicy(pod) === 'Never' && restarted && seen.containers.length > 0)
    return { ...NOTHING, killPod: true };
  const regular = (pod.spec?.containers ?? []).filter(
    (c) => !(podRestartPolicy(pod) === 'OnFailure' && succeeded(seen, c)),
  );
  // All work is done: no sandbox for its own sake.
  if (regular.length === 0) return { ...NOTHING, killPod: true };
  const inits = pod.spec?.initContainers ?? [];
  const start: StartOrder[] =
    inits.length > 0 ? firstInits(inits) : regular.map((container) => ({ role: 'regular', container }));
  return { ...NOTHING, killPod: restarted, createSandbox: attempt, sandboxChanged: restarted, start };
}

function succeeded(seen: PodSeen, container: Container): boolean {
  const latest = latestOf(seen, container.name);
  return latest?.state === 'exited' && latest.exitCode === 0;
}

/** Only the first: the next ones follow when it has ended (or, a sidecar, has started). */
function firstInits(inits: readonly Container[]): StartOrder[] {
  return inits.slice(0, 1).map((container) => ({ role: 'init', container }));
}

function decideInSandbox(seen: PodSeen): PodPlan {
  const kill: KillOrder[] = [];
  const start: StartOrder[] = [];
  for (const container of seen.pod.spec?.ephemeralContainers ?? []) {
    if (latestOf(seen, container.name) === undefined) start.push({ role: 'ephemeral', container });
  }
  const inits = decideInits(seen, kill);
  start.push(...inits.start);
  if (inits.failed) return { ...NOTHING, killPod: true };
  if (!inits.initialized) return { ...NOTHING, kill, start };
  const kept = decideRegular(seen, kill, start);
  const anyRegularStart = start.some((s) => s.role === 'regular');
  // Nothing runs and nothing will: the sandbox (and sidecars) may go.
  if (kept === 0 && !anyRegularStart) return { ...NOTHING, killPod: true };
  return { ...NOTHING, kill, start };
}

interface InitDecision {
  readonly initialized: boolean;
  readonly failed: boolean;
  readonly start: readonly StartOrder[];
}

/** Init containers run in their order; a sidecar is passed once it has started, and is restarted for ever. */
function decideInits(seen: PodSeen, kill: KillOrder[]): InitDecision {
  const sandboxId = seen.sandboxes[0]?.id;
  const initialized = hasRegularContainer(seen, sandboxId);
  const start: StartOrder[] = [];
  for (const container of seen.pod.spec?.initContainers ?? []) {
    const sidecar = isSidecar(container);
    if (initialized && !sidecar) continue;
    const latest = inSandbox(latestOf(seen, container.name), sandboxId);
    if (latest === undefined || latest.state === 'created' || latest.state === 'unknown') {
      start.push({ role: 'init', container });
      if (!initialized) return { initialized: false, failed: false, start };
    } else if (latest.state === 'running') {
      if (!sidecar) return { initialized: false, failed: false, start };
      if (decideResize(seen, { container, latest }, kill)) {
        start.push({ role: 'init', container });
        continue;
      }
      const killed = decideProbes(seen, { container, latest }, kill);
      const startup = seen.verdicts.get(latest.id)?.startup;
      if (!initialized && (killed || (startup !== undefined && startup !== 'success'))) {
        return { initialized: false, failed: false, start };
      }
    } else if (sidecar || latest.exitCode !== 0) {
      const again = sidecar || restartsInit(seen, container, latest);
      if (!again) return { initialized: false, failed: true, start };
      start.push({ role: 'init', container });
      if (!initialized) return { initialized: false, failed: false, start };
    }
  }
  return { initialized: true, failed: false, start };
}

/** Init containers of a pod that is restarted always are restarted on failure. */
function restartsInit(seen: PodSeen, container: Container, latest: ContainerStatus): boolean {
  return restartsAfter(seen.pod, container, latest.exitCode);
}

function inSandbox(container: ContainerStatus | undefined, sandboxId: string | undefined): ContainerStatus | undefined {
  return container?.sandboxId === sandboxId ? container : undefined;
}

/** Adds to `kill` and `start`; answers with how many regular containers go on as they are. */
function decideRegular(seen: PodSeen, kill: KillOrder[], start: StartOrder[]): number {
  let kept = 0;
  for (const container of seen.pod.spec?.containers ?? []) {
    const latest = latestOf(seen, container.name);
    if (latest?.state !== 'running') {
      if (shouldStart(seen, container)) start.push({ role: 'regular', container });
      continue;
    }
    if (latest.annotations[CONTAINER_HASH] !== containerHash(container)) {
      kill.push({
        id: latest.id,
        name: container.name,
        message: `Container ${container.name} definition changed, will be restarted`,
      });
      start.push({ role: 'regular', container });
    } else if (decideResize(seen, { container, latest }, kill)) {
      start.push({ role: 'regular', container });
    } else if (decideProbes(seen, { container, latest }, kill)) {
      if (mayRestart(seen.pod, container)) start.push({ role: 'regular', container });
      // How it ends says whether the pod goes on.
      else if (mayRestartAll(container)) kept++;
    } else {
      kept++;
    }
  }
  return kept;
}

/** Whether other resources have to come by a new container. */
function decideResize(
  seen: PodSeen,
  { container, latest }: { readonly container: Container; readonly latest: ContainerStatus },
  kill: KillOrder[],
): boolean {
  if (seen.resize?.restarts.has(latest.id) !== true) return false;
  kill.push({ id: latest.id, name: container.name, message: `Container ${container.name} resize requires restart` });
  return true;
}

/** Whether a failed liveness or startup probe asks for the container's end. */
function decideProbes(
  seen: PodSeen,
  of: { readonly container: Container; readonly latest: ContainerStatus },
  kill: KillOrder[],
): boolean {
  const verdict = seen.verdicts.get(of.latest.id);
  const failed = verdict?.liveness === 'failure' ? 'liveness' : verdict?.startup === 'failure' ? 'startup' : undefined;
  if (failed === undefined) return false;
  const { name } = of.container;
  const probe = failed === 'liveness' ? of.container.livenessProbe : of.container.startupProbe;
  const restart = isSidecar(of.container) || mayRestart(seen.pod, of.container);
  const grace = probe?.terminationGracePeriodSeconds;
  kill.push({
    id: of.latest.id,
    name,
    message: `Container ${name} failed ${failed} probe${restart ? ', will be restarted' : ''}`,
    ...(grace === undefined ? {} : { graceSeconds: grace }),
  });
  return true;
}
