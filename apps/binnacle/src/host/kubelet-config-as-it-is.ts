/** What we do anyway: the same in other words is no wish that goes unheard. */
const AS_IT_IS: { readonly [field: string]: readonly unknown[] } = {
  cgroupDriver: ['cgroupfs'],
  cgroupsPerQOS: [true],
  cpuCFSQuota: [true],
  cpuCFSQuotaPeriod: ['100ms', '0s'],
  cpuManagerReconcilePeriod: ['10s', '0s'],
  enableControllerAttachDetach: [true],
  enableProfilingHandler: [false],
  enableServer: [true],
  failSwapOn: [false],
  hairpinMode: ['promiscuous-bridge', 'hairpin-veth'],
  localStorageCapacityIsolation: [true],
  mergeDefaultEvictionSettings: [false],
  runtimeRequestTimeout: ['2m0s', '2m', '0s'],
  // Nothing is looked at at times that is not watched.
  syncFrequency: ['1m0s', '1m', '0s'],
  volumeStatsAggPeriod: ['1m0s', '1m', '0s'],
  // In Webhook mode, with upstream's times; kubeadm writes zeros for them.
  authorization: [
    { mode: 'Webhook' },
    { mode: 'Webhook', webhook: {} },
    { mode: 'Webhook', webhook: { cacheAuthorizedTTL: '0s', cacheUnauthorizedTTL: '0s' } },
    { mode: 'Webhook', webhook: { cacheAuthorizedTTL: '5m0s', cacheUnauthorizedTTL: '30s' } },
  ],
  address: ['0.0.0.0', ''],
  configMapAndSecretChangeDetectionStrategy: ['Watch'],
  containerRuntimeEndpoint: [''],
  contentType: ['application/vnd.kubernetes.protobuf', 'application/json'],
  cpuManagerPolicyOptions: [{}],
  enableContentionProfiling: [false],
  enableSystemLogHandler: [false],
  enableSystemLogQuery: [false],
  failCgroupV1: [false],
  healthzPort: [0],
  imageServiceEndpoint: [''],
  kernelMemcgNotification: [false],
  kubeReservedCgroup: [''],
  kubeletCgroups: [''],
  logging: [
    { flushFrequency: 0, options: { json: { infoBufferSize: '0' }, text: { infoBufferSize: '0' } }, verbosity: 0 },
    { format: 'text' },
  ],
  memoryReservationPolicy: ['None', ''],
  memorySwap: [{}, { swapBehavior: '' }],
  podCIDR: [''],
  protectKernelDefaults: [false],
  qosReserved: [{}],
  readOnlyPort: [0],
  registryPullQPS: [0],
  runOnce: [false],
  showHiddenMetricsForVersion: [''],
  singleProcessOOMKill: [true],
  systemCgroups: [''],
  systemReservedCgroup: [''],
  tlsCipherSuites: [[]],
  tlsMinVersion: [''],
};

/** Whether a field says what is done anyway. */
export function isAsItIs(field: string, value: unknown): boolean {
  const known = Object.hasOwn(AS_IT_IS, field) ? AS_IT_IS[field] : undefined;
  return known?.some((one) => JSON.stringify(one) === JSON.stringify(value)) === true;
}

/** The values of a field that say what is done anyway; none: it has no such values. */
export function acceptedValues(field: string): readonly unknown[] {
  return Object.hasOwn(AS_IT_IS, field) ? (AS_IT_IS[field] ?? []) : [];
}
