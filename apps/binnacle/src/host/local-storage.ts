import { mkdirSync } from 'node:fs';
import type { Scope } from '@binnacle/base';
import { startLocalStorage } from '@binnacle/cluster/local-storage';
import type { ControlPlane } from '@binnacle/cluster/node/control-plane';
import type { World } from '@binnacle/cluster/world';

/** Starts the provisioner for the nodes of this process: on disk where they run containers, by word where they are simulated. */
export async function openLocalStorage(of: {
  readonly plane: ControlPlane;
  readonly world: World;
  readonly scope: Scope;
  readonly root: string;
  readonly names: readonly string[];
  readonly isReal: boolean;
}): Promise<void> {
  const { plane, names, isReal, ...rest } = of;
  const ours = new Set(names);
  await startLocalStorage({
    ...rest,
    clientAs: (user) => plane.clientAs(user),
    isOurNode: (name) => ours.has(name),
    ...(isReal ? { directories: await openDirectories(of.root) } : {}),
  });
}

async function openDirectories(root: string) {
  const { createHostFiles } = await import('@binnacle/kubelet/node');
  // What is in it has the modes that pods gave it: nobody else comes here.
  mkdirSync(root, { recursive: true, mode: 0o700 });
  return createHostFiles({ roots: [root] });
}
