/** Pieces that a node refuses, and says so: the words by which it names them. */
import type { Container, PodSpec } from '@binnacle/api/core/v1';
import { IMAGE } from '../manifests.ts';

/** One refused piece. Pieces of `container` are of the container `main`. */
export interface Refusal {
  readonly asks: string;
  readonly spec?: Partial<PodSpec>;
  readonly container?: Partial<Container>;
}

const SECRET = { secretRef: { name: 's' } };
const PATH = 'spec.containers[main]';

/** Kinds of volumes that are gone upstream too, or were never this kubelet's, each with what validation wants of it. */
const VOLUMES: { readonly [kind: string]: object } = {
  awsElasticBlockStore: { volumeID: 'v' },
  azureDisk: { diskName: 'd', diskURI: '/subscriptions/s/disk', kind: 'Managed' },
  azureFile: { secretName: 's', shareName: 'x' },
  cephfs: { monitors: ['192.0.2.1'] },
  cinder: { volumeID: 'v' },
  fc: { targetWWNs: ['5'], lun: 1 },
  flexVolume: { driver: 'a/b' },
  flocker: { datasetName: 'd' },
  gcePersistentDisk: { pdName: 'p' },
  gitRepo: { repository: 'https://x.test/y' },
  glusterfs: { endpoints: 'e', path: 'p' },
  iscsi: { targetPortal: '192.0.2.1:3260', iqn: 'iqn.2001-04.com.example:storage', lun: 0 },
  nfs: { server: 'n.test', path: '/x' },
  photonPersistentDisk: { pdID: 'p' },
  portworxVolume: { volumeID: 'v' },
  quobyte: { registry: 'r.test:80', volume: 'v' },
  rbd: { monitors: ['192.0.2.1'], image: 'i' },
  scaleIO: { gateway: 'g', system: 's', volumeName: 'v', ...SECRET },
  storageos: { volumeName: 'v' },
  vsphereVolume: { volumePath: 'p' },
};

/** All of them; they may stand in one pod together. */
export const REFUSALS: readonly Refusal[] = [
  ...Object.entries(VOLUMES).map(([kind, source]) => ({
    asks: `spec.volumes[${kind.toLowerCase()}].${kind}`,
    spec: { volumes: [{ name: kind.toLowerCase(), [kind]: source }] },
  })),
  { asks: `${PATH}.lifecycle.preStop.tcpSocket`, container: { lifecycle: { preStop: { tcpSocket: { port: 1 } } } } },
  {
    asks: `${PATH}.securityContext.appArmorProfile: Localhost`,
    container: { securityContext: { appArmorProfile: { type: 'Localhost', localhostProfile: 'p' } } },
  },
  {
    asks: 'spec.securityContext.appArmorProfile: RuntimeDefault',
    spec: { securityContext: { appArmorProfile: { type: 'RuntimeDefault' } } },
  },
];

/** What every refused pod is otherwise. */
export const REFUSED_CONTAINER: Partial<Container> = { image: IMAGE, imagePullPolicy: 'Never' };

/** Shown by another test, named here. */
export const SHOWN_BY: { readonly [field: string]: string } = {
  'PodSpec.imagePullSecrets': 'conformance/src/private-images.test.ts',
  'LocalObjectReference.name': 'conformance/src/private-images.test.ts',
  'PodSpec.priority': 'packages/kubelet/src/eviction/ranking.test.ts',
  'PodSpec.ephemeralContainers': 'conformance/src/ledger/sig-node/hooks-and-streams.test.ts',
  'EphemeralContainer.targetContainerName': 'conformance/src/pod-fields.test.ts',
  'PodSecurityContext.fsGroupChangePolicy': 'packages/kubelet/src/volume/drivers/claim.test.ts',
  'VolumeProjection.clusterTrustBundle': 'conformance/src/trust-bundles.test.ts',
  'VolumeProjection.podCertificate': 'packages/kubelet/src/pod/unsupported.test.ts',
  'SeccompProfile.localhostProfile': 'packages/kubelet/src/container/security.test.ts',
  'PodSpec.resourceClaims': 'conformance/src/device-claims.ts',
  'ResourceRequirements.claims': 'conformance/src/device-claims.ts',
  'Probe.grpc': 'packages/kubelet/src/node/grpc-probe.ring.test.ts',
};
