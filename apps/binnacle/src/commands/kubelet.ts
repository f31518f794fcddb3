import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Scope } from '@binnacle/base';
import { realClock, secureRandom } from '@binnacle/base/node';
import { createClient } from '@binnacle/client';
import type { Client } from '@binnacle/client';
import { loadKubeconfig } from '@binnacle/client/node';
import type { World } from '@binnacle/cluster/world';
import { startNode } from '@binnacle/cluster/node/nodes';
import { untilNodesReady } from '@binnacle/cluster/simulated-nodes';
import type { Kubelet } from '@binnacle/kubelet';
import { UsageError } from '../errors.ts';
import { openNodeRuntime } from '../host/node-runtime.ts';
import { openDataDir } from '../host/data-dir.ts';
import type { DataDir } from '../host/data-dir.ts';
import { readKubeletConfig } from '../host/kubelet-config.ts';
import { openWire } from '../host/open-wire.ts';
import { createProgress } from '../host/progress.ts';
import { runUntilStopped, sinceStart } from '../host/process.ts';
import type { NodeFlags } from '../host/node-runtime.ts';

/** The flags of `binnacle kubelet`. */
export interface KubeletFlags extends NodeFlags {
  readonly dataDir: string;
  readonly kubeconfig?: string;
  readonly nodeName?: string;
  readonly nodeIp?: string;
  readonly podManifestPath?: string;
  readonly config?: string;
  readonly kubeletPort?: number;
  readonly tlsCertFile?: string;
  readonly tlsPrivateKeyFile?: string;
  readonly clientCaFile?: string;
  readonly output?: 'json';
  readonly v: number;
}

/** `binnacle kubelet`: one node, against an API server or, without a kubeconfig, for its static pods alone. */
export async function kubelet(flags: KubeletFlags): Promise<void> {
  const dataDir = openDataDir(flags.dataDir);
  await runUntilStopped('kubelet', flags.v, async (scope, log) => {
    const world = { clock: realClock, random: secureRandom, log };
    const nodeName = (flags.nodeName ?? hostname()).toLowerCase();
    const file = await readKubeletConfig(flags.config);
    const manifests = flags.podManifestPath ?? file.staticPodPath;
    const { runtime, endpoint } = await openNodeRuntime(flags, {
      dataDir,
      world,
      progress: createProgress(flags.output === 'json'),
    });
    scope.defer(() => runtime.close());
    const client =
      flags.kubeconfig === undefined
        ? undefined
        : createClient(await openWire(flags.kubeconfig, scope, { userAgent: 'binnacle-kubelet', log }));
    const running = await startNode({
      nodeName,
      ...(flags.nodeIp === undefined ? {} : { nodeIp: flags.nodeIp }),
      runtime,
      isReal: endpoint !== undefined,
      directory: dataDir.kubelet,
      ...(manifests === undefined ? {} : { manifests }),
      ...(client === undefined
        ? {}
        : { client, serve: (kubelet) => openPort(flags, { kubelet, client, dataDir, world, scope }) }),
      config: file.config,
      world,
      scope,
    });
    await running.whenReady();
    if (client !== undefined) await untilNodesReady(client, [nodeName], scope.signal);
    process.stdout.write(`${JSON.stringify({ pid: process.pid, nodeName, nodeReady: sinceStart() })}\n`);
  });
}

/** The HTTPS port: with the files named, else with a certificate that nobody vouches for. */
async function openPort(
  flags: KubeletFlags,
  of: { kubelet: Kubelet; client: Client; dataDir: DataDir; world: World; scope: Scope },
): Promise<void> {
  const { tlsCertFile, tlsPrivateKeyFile, nodeIp } = flags;
  if ((tlsCertFile === undefined) !== (tlsPrivateKeyFile === undefined)) {
    throw new UsageError('--tls-cert-file and --tls-private-key-file belong together');
  }
  const { kubelet, client, dataDir, world, scope } = of;
  const { readKeyPair, serveNode, servingSubject } = await import('@binnacle/cluster/node/kubelet-server');
  const clientCa = await clientCaOf(flags);
  if (clientCa === '') {
    // Without one, Node would believe certificates of every public authority.
    world.log.warn('no port for the kubelet: the kubeconfig names no CA, and there is no --client-ca-file');
    return;
  }
  await serveNode({
    kubelet,
    client,
    host: nodeIp ?? '0.0.0.0',
    ...(flags.kubeletPort === undefined ? {} : { port: flags.kubeletPort }),
    async certificate() {
      if (tlsCertFile !== undefined && tlsPrivateKeyFile !== undefined)
        return readKeyPair(tlsCertFile, tlsPrivateKeyFile);
      const { ensureSelfSigned } = await import('@binnacle/certificates/node');
      const subject = { name: 'kubelet', ...servingSubject(kubelet.nodeName, nodeIp) };
      const place = join(dataDir.kubelet, 'pki');
      return ensureSelfSigned(place, subject, world);
    },
    clientCa,
    world,
    scope: scope.child('kubelet server'),
  });
}

async function clientCaOf(flags: KubeletFlags): Promise<string> {
  if (flags.clientCaFile !== undefined) return readFile(flags.clientCaFile, 'utf8');
  const { wire } = await loadKubeconfig(flags.kubeconfig ?? '');
  return wire.ca ?? '';
}
