import { messageOf } from '@binnacle/base';
import type { Pod } from '@binnacle/api/core/v1';
import type { SandboxConfig } from '@binnacle/runtime';
import { podDns } from '../container/dns.ts';
import { sandboxConfig } from '../container/sandbox-config.ts';
import { ContainerStartError } from '../errors.ts';
import type { RuntimeView } from './runtime-view.ts';
import type { PodWorld } from './world.ts';

/** Makes the pod's sandbox. Throws RuntimeError; the event is said. */
export async function startSandbox(
  world: PodWorld,
  place: { readonly pod: Pod; readonly view: RuntimeView },
  attempt: number,
): Promise<void> {
  try {
    await world.given.users.counted(place.pod, makeSandbox(world, place, attempt));
  } catch (error) {
    world.events.pod(place.pod, 'Warning', {
      reason: 'FailedCreatePodSandBox',
      message: `Failed to create pod sandbox: ${messageOf(error)}`,
    });
    throw error;
  }
}

async function makeSandbox(
  world: PodWorld,
  place: { readonly pod: Pod; readonly view: RuntimeView },
  attempt: number,
): Promise<void> {
  const config = await sandboxOf(world, place.pod, attempt);
  await world.files?.makeDirectory(config.logDirectory, 0o755);
  // Its control group is there before the runtime needs it, and costs no time of its own. Neither goes on by itself.
  const [made, grouped] = await Promise.allSettled([runSandbox(world, place, config), world.groups.apply(place.pod)]);
  for (const one of [made, grouped]) if (one.status === 'rejected') throw one.reason;
}

async function runSandbox(
  world: PodWorld,
  { view }: { readonly view: RuntimeView },
  config: SandboxConfig,
): Promise<void> {
  await view.refreshSandbox(await world.runtime.runSandbox(config));
}

/** The configuration of a pod's sandbox, of which its containers are told too. */
export async function sandboxOf(world: PodWorld, pod: Pod, attempt: number): Promise<SandboxConfig> {
  const { clusterDNS, clusterDomain } = world.config;
  const dns = podDns({ pod, nodeResolvConf: await world.nodeResolvConf(), clusterDNS, clusterDomain });
  const runtimeHandler = await handlerOf(world, pod);
  const users = await world.given.users.of(pod, runtimeHandler);
  return sandboxConfig(pod, world.config, { attempt, dns, runtimeHandler, users });
}

/** Which of the runtime's ways of running pods is asked for; empty: the usual one. Throws ContainerStartError. */
export async function handlerOf({ objects }: Pick<PodWorld, 'objects'>, pod: Pod): Promise<string> {
  const name = pod.spec.runtimeClassName ?? '';
  if (name === '') return '';
  const found = await objects?.runtimeClass(name);
  if (found !== undefined) return found.handler;
  throw new ContainerStartError(
    'CreatePodSandboxError',
    `failed to get sandbox runtime: runtimeclass.node.k8s.io "${name}" not found`,
  );
}
