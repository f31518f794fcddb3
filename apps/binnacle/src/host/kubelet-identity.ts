import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Scope } from '@binnacle/base';
import { createClient, SwitchedWire } from '@binnacle/client';
import { createHttpWire, loadKubeconfig } from '@binnacle/client/node';
import type { HttpWireOptions } from '@binnacle/client/node';
import {
  CLIENT_USE,
  asCertificate,
  keepNodeCertificate,
  readNodeCertificate,
  requestNodeCertificate,
} from '@binnacle/cluster/node/node-certificate';
import type { NodeCertificate } from '@binnacle/cluster/node/node-certificate';
import type { World } from '@binnacle/cluster/world';
import type { Wire } from '@binnacle/machinery';
import { UsageError } from '../errors.ts';
import { openWire } from './open-wire.ts';
import { writePrivateFile } from './record-file.ts';

/** What says as whom a kubelet speaks. */
export interface IdentityFlags {
  readonly kubeconfig?: string;
  /** With which a certificate is asked for, where `kubeconfig` names no file. */
  readonly bootstrapKubeconfig?: string;
}

interface IdentityPlace {
  readonly nodeName: string;
  /** The kubelet's own: certificates are kept below it. */
  readonly directory: string;
  /** The certificate is renewed before it ends. */
  readonly rotates: boolean;
  readonly world: World;
  readonly scope: Scope;
}

const USER_AGENT = 'binnacle-kubelet';

/**
 * The wire of a kubelet; undefined: there is no API server. Where it has no kubeconfig yet, it asks the cluster for a
 * certificate of its own first, and writes one. Throws UsageError, ClusterError where it gets none.
 */
export async function openKubeletWire(flags: IdentityFlags, place: IdentityPlace): Promise<Wire | undefined> {
  const { kubeconfig, bootstrapKubeconfig } = flags;
  const { world, scope, directory } = place;
  if (kubeconfig === undefined) {
    if (bootstrapKubeconfig !== undefined)
      throw new UsageError('--bootstrap-kubeconfig needs --kubeconfig: the file to write');
    return undefined;
  }
  const path = join(directory, 'pki', 'kubelet-client-current.pem');
  if (bootstrapKubeconfig !== undefined && !(await isThere(kubeconfig))) {
    await bootstrap(bootstrapKubeconfig, { ...place, kubeconfig, path });
  }
  if (!place.rotates) return openWire(kubeconfig, scope, { userAgent: USER_AGENT, log: world.log });
  const { wire: options } = await loadKubeconfig(kubeconfig, { env: process.env });
  const held = (await readNodeCertificate(path, world.clock.now())) ?? certificateOf(options);
  if (held === undefined)
    throw new UsageError('rotateCertificates needs a kubeconfig with a certificate: there is nothing to renew');
  const open = ({ certificate: cert, key }: NodeCertificate): Wire =>
    createHttpWire({ ...options, cert, key, userAgent: USER_AGENT, log: world.log });
  const wire = new SwitchedWire(open(held), world.clock);
  scope.defer(() => wire.close());
  const renewed = (certificate: NodeCertificate): void => {
    world.log.info(1, 'The certificate of this node is renewed', { until: new Date(certificate.notAfter) });
    wire.switchTo(open(certificate));
  };
  keepNodeCertificate(held, { ...place, use: CLIENT_USE, client: createClient(wire), path, renewed });
  return wire;
}

async function bootstrap(
  source: string,
  of: IdentityPlace & { readonly kubeconfig: string; readonly path: string },
): Promise<void> {
  const { wire: options } = await loadKubeconfig(source, { env: process.env });
  const wire = createHttpWire({ ...options, userAgent: USER_AGENT, log: of.world.log });
  try {
    await requestNodeCertificate({ ...of, use: CLIENT_USE, client: createClient(wire), signal: of.scope.signal });
  } finally {
    await wire.close();
  }
  writePrivateFile(of.kubeconfig, kubeconfigText(options, of.path));
}

/** Certificate and key stand in one file, which is what changes when they are renewed. */
function kubeconfigText({ server, ca, tlsServerName, insecureSkipTlsVerify }: HttpWireOptions, path: string): string {
  const cluster = {
    server,
    ...(ca === undefined ? {} : { 'certificate-authority-data': Buffer.from(ca).toString('base64') }),
    ...(tlsServerName === undefined ? {} : { 'tls-server-name': tlsServerName }),
    ...(insecureSkipTlsVerify === true ? { 'insecure-skip-tls-verify': true } : {}),
  };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'default-cluster', cluster }],
    users: [{ name: 'default-auth', user: { 'client-certificate': path, 'client-key': path } }],
    contexts: [{ name: 'default-context', context: { cluster: 'default-cluster', user: 'default-auth' } }],
    'current-context': 'default-context',
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}

function certificateOf({ cert, key }: HttpWireOptions): NodeCertificate | undefined {
  return cert === undefined || key === undefined ? undefined : asCertificate(cert, key);
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    // Absent.
    () => false,
  );
}
