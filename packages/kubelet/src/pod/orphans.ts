import type { Container, Runtime, Sandbox } from '@binnacle/runtime';
import { annotatedGrace, stopSignal } from './killing.ts';
import { POD_UID_LABEL } from '../container/labels.ts';

/** What the runtime holds, by pod UID. */
export interface RuntimePod {
  readonly sandboxes: Sandbox[];
  readonly containers: Container[];
}

/** Lists everything in the runtime once, by pod: what was here before this kubelet began. */
export async function listRuntimePods(runtime: Runtime): Promise<Map<string, RuntimePod>> {
  const [sandboxes, containers] = await Promise.all([runtime.listSandboxes(), runtime.listContainers()]);
  const pods = new Map<string, RuntimePod>();
  const uidOf = new Map<string, string>();
  const podOf = (uid: string): RuntimePod => {
    const pod = pods.get(uid) ?? { sandboxes: [], containers: [] };
    pods.set(uid, pod);
    return pod;
  };
  for (const sandbox of sandboxes) {
    uidOf.set(sandbox.id, sandbox.uid);
    podOf(sandbox.uid).sandboxes.push(sandbox);
  }
  for (const container of containers) {
    const uid = uidOf.get(container.sandboxId) ?? container.labels[POD_UID_LABEL];
    if (uid !== undefined) podOf(uid).containers.push(container);
  }
  return pods;
}

/** Ends a pod that nobody knows any more, with the grace its containers were made with. */
export async function clearOrphan(runtime: Runtime, pod: RuntimePod): Promise<void> {
  await Promise.all(
    pod.containers
      .filter((c) => c.state === 'running' || c.state === 'unknown')
      .map((c) => runtime.stopContainer(c.id, annotatedGrace(c.annotations), stopSignal(c))),
  );
  await Promise.all(pod.sandboxes.map((s) => runtime.stopSandbox(s.id)));
  await Promise.all(pod.containers.map((c) => runtime.removeContainer(c.id)));
  await Promise.all(pod.sandboxes.map((s) => runtime.removeSandbox(s.id)));
}
