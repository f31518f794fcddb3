export { startClaimDriver } from './claim-driver.ts';
export type { ClaimDriverProcess, ClaimDriverWish } from './claim-driver.ts';
export { startCsiDriver } from './csi-driver.ts';
export type { CsiCall, CsiDriverProcess, CsiDriverWish } from './csi-driver.ts';
export { startBinnacle } from './child.ts';
export type { BinnacleProcess, ReadyLine } from './child.ts';
export type { ClusterWish, Harness, TestCluster } from './cluster.ts';
export {
  containerPids,
  fetchPage,
  hasLink,
  isRunning,
  killContainer,
  pidsByCommand,
  podLinks,
  podCgroups,
  remainsOf,
} from './container.ts';
export type { PageReply } from './container.ts';
export { skipWithoutContainerd, startContainerdCluster } from './containerd.ts';
export { ECHO_IMAGE } from './example-images.ts';
export { skipWithoutDocker, startDockerCluster } from './docker.ts';
export type { DockerCluster } from './docker.ts';
export { nodeRemains } from './node-remains.ts';
export type { NodeRemains } from './node-remains.ts';
export { readPodResources, startDevicePlugin } from './device-plugin.ts';
export type { DevicePluginProcess, TestDevice } from './device-plugin.ts';
export { TestkitError } from './errors.ts';
export { skipWithoutEtcd, startTestEtcd } from './etcd.ts';
export type { TestEtcd } from './etcd.ts';
export { FRAME_CATEGORIES, frameWork, percentile } from './frame-work.ts';
export type { BrowserTraceEvent } from './frame-work.ts';
export { freePort, makeFolder, runBinnacle } from './folder.ts';
export { SOURCES } from './launcher.ts';
export type { TestFolder } from './folder.ts';
export { harnesses } from './harnesses.ts';
export { findKubectl, kubectlOutput, runKubectl } from './kubectl.ts';
export type { Kubectl, KubectlResult } from './kubectl.ts';
export { startOneProcess } from './one-process.ts';
export type { OneProcessCluster } from './one-process.ts';
export { cutPower } from './power-cut.ts';
export { startProcesses } from './processes.ts';
export type { ProcessCluster, ProcessWish } from './processes.ts';
export { startTlsServer } from './tls-server.ts';
export type { TlsServer } from './tls-server.ts';
export { lookUntil } from './look-until.ts';
export type { Look } from './look-until.ts';
export { untilFile } from './until-file.ts';
export { waitFor } from './wait.ts';
export type { Wait } from './wait.ts';
export { type ImageRegistry, serveImages } from './registry.ts';
