export { VERIFICATION_POLICIES, kubeletConfig } from './config.ts';
export { readAllowlist } from './image/verification.ts';
export type { KubeletConfig } from './config.ts';
export { createImageCredentials } from './image/credential-providers.ts';
export type { CredentialProvider, CredentialProvidersOptions, ImageCredentials } from './image/credential-providers.ts';
export { startNodeFleet } from './fleet.ts';
export type { NodeFleet, NodeFleetOptions } from './fleet.ts';
export { createKubelet } from './kubelet.ts';
export type { Kubelet, KubeletPod } from './kubelet.ts';
export { LogError } from './errors.ts';
export type { LogOptions } from './logs/options.ts';
export { parseLogOptions } from './logs/options.ts';
export type { LogRequest } from './logs/pod-log.ts';
export type { HttpProbeAnswer, HttpProbeRequest, NetworkProbe } from './network-probe.ts';
export type {
  HostFiles,
  KubeletOptions,
  LogFiles,
  Machine,
  PodPolicies,
  ObjectReader,
  PathKind,
  PodSource,
  PodSourceHandler,
  ShutdownWatch,
  PodToken,
  ReferenceHolder,
} from './ports.ts';
export { createApiPodSource, createPodInformer, createSharedPodSource } from './source/api-source.ts';
export { createFileSource } from './source/file-source.ts';
export type { FileSourceOptions } from './source/file-source.ts';
export { createUrlSource } from './source/url-source.ts';
export type { UrlSourceOptions } from './source/url-source.ts';
export { createObjectReader } from './source/object-reader.ts';
export { answerRequest } from './server/answer.ts';
export { smallText } from './server/small-text.ts';
export type { ServerAnswer, ServerRequest } from './server/answer.ts';
export { createMemoryFiles } from './volume/memory-files.ts';
export type { MemoryFiles } from './volume/memory-files.ts';
export { parseCpuSet } from './cpu/cpu-set.ts';
