/**
 * Every feature gate of Kubernetes v1.36, by what becomes of it (facts: upstream's list of versioned features). Those that
 * cannot be set at all, those that are on and stay so here, those that are off and not built here, and those that people
 * switch.
 */

/** Names with space between them. */
export const namesOf = (names: string): readonly string[] => names.trim().split(/\s+/);

/** Graduated: locked to true. */
export const LOCKED_ON: readonly string[] = namesOf(`
  AggregatedDiscoveryRemoveBetaType AnonymousAuthConfigurableEndpoints AnyVolumeDataSource APIServerTracing
  AuthorizeNodeWithSelectors AuthorizeWithSelectors BtreeWatchCache ConsistentListFromCache
  CPUManagerPolicyOptions CRDValidationRatcheting CSIServiceAccountTokenSecrets CustomResourceFieldSelectors
  DeclarativeValidation DisableAllocatorDualWrite DisableNodeKubeProxyVersion DRAAdminAccess
  DynamicResourceAllocation ExecProbeTimeout ExternalServiceAccountTokenSigner ImageMaximumGCAge ImageVolume
  InPlacePodVerticalScaling JobBackoffLimitPerIndex JobManagedBy JobPodReplacementPolicy JobSuccessPolicy
  KubeletCgroupDriverFromCRI KubeletFineGrainedAuthz KubeletPodResourcesDynamicResources KubeletPodResourcesGet
  KubeletPSI KubeletTracing LogarithmicScaleDown MatchLabelKeysInPodAffinity MultiCIDRServiceAllocator
  MutableCSINodeAllocatableCount NFTablesProxyMode NodeInclusionPolicyInPodTopologySpread NodeLogQuery NodeSwap
  OrderedNamespaceDeletion PodLifecycleSleepAction PodLifecycleSleepActionAllowZero PodObservedGenerationTracking
  PodSchedulingReadiness PreferSameTrafficDistribution ProcMountType RecoverVolumeExpansionFailure
  RecursiveReadOnlyMounts RelaxedDNSSearchValidation RelaxedEnvironmentVariableValidation
  ResilientWatchCacheInitialization RetryGenerateName SchedulerQueueingHints SELinuxChangePolicy
  SELinuxMountReadWriteOncePod SeparateTaintEvictionController ServiceAccountTokenJTI
  ServiceAccountTokenNodeBinding ServiceAccountTokenNodeBindingValidation ServiceAccountTokenPodNodeInfo
  SidecarContainers StreamingCollectionEncodingToJSON StreamingCollectionEncodingToProtobuf
  StructuredAuthenticationConfiguration SupplementalGroupsPolicy SystemdWatchdog TopologyManagerPolicyOptions
  UserNamespacesSupport VolumeAttributesClass WinDSR WinOverlay
`);

/** Given up: locked to false. */
export const LOCKED_OFF: readonly string[] = namesOf(`
  AllowOverwriteTerminationGracePeriodSeconds GitRepoVolumeDriver SeparateCacheWatchRPC
`);

/**
 * On by default, of whatever stage, and nobody can switch them off here: the API always has what they are about. What of it
 * nodes or the scheduler do not do is named in README; where upstream has a node declare it (`status.declaredFeatures`), ours
 * declare what they do, and pods that ask for more are kept away from them.
 */
export const ALWAYS_ON: readonly string[] = namesOf(`
  AllowParsingUserUIDFromCertAuth AllowServiceExternalIPs APIResponseCompression APIServerIdentity
  AuthorizePodWebsocketUpgradeCreatePermission ClearingNominatedNodeNameAfterBinding ComponentFlagz
  ComponentStatusz ConstrainedImpersonation ContainerCheckpoint ContainerRestartRules ContextualLogging
  CPUCFSQuotaPeriod CPUManagerPolicyBetaOptions CRDObservedGenerationTracking DeclarativeValidationBeta
  DeploymentReplicaSetTerminatingReplicas DetectCacheInconsistency DisableCPUQuotaWithExclusiveCPUs
  DRAConsumableCapacity DRADeviceBindingConditions DRADeviceTaints DRAExtendedResource DRAPartitionableDevices
  DRAPrioritizedList DRAResourceClaimDeviceStatus DRAResourceClaimGranularStatusAuthorization
  DRASchedulerFilterTimeout EnvFiles ExtendWebSocketsToKubelet GracefulNodeShutdown
  GracefulNodeShutdownBasedOnPodPriority HostnameOverride HPAConfigurableTolerance
  InPlacePodLevelResourcesVerticalScaling InPlacePodVerticalScalingInitContainers KubeletCrashLoopBackOffMax
  KubeletEnsureSecretPulledImages KubeletPodResourcesListUseActivePods KubeletSeparateDiskGC
  KubeletServiceAccountTokenForCredentialProviders ListFromCacheSnapshot LoggingBetaOptions
  MatchLabelKeysInPodTopologySpread MatchLabelKeysInPodTopologySpreadSelectorMerge
  MutablePodResourcesForSuspendedJobs MutableSchedulingDirectivesForSuspendedJobs MutatingAdmissionPolicy
  NodeDeclaredFeatures NominatedNodeNameForExpectation OpenAPIEnums OpportunisticBatching PLEGOnDemandRelist
  PodDeletionCost PodLevelResources PodReadyToStartContainersCondition PodTopologyLabelsAdmission
  PortForwardWebsockets PreventStaticPodAPIReferences RelaxedServiceNameValidation ReloadKubeletClientCAFile
  ReloadKubeletServerCertificateFile RemoteRequestHeaderUID ResourceHealthStatus ResourceHealthStatusMessage
  RestartAllContainersOnContainerExits RotateKubeletServerCertificate SchedulerAsyncPreemption
  SchedulerPopFromBackoffQ ServiceAccountNodeAudienceRestriction ServiceCIDRStatusFieldWiping
  SizeBasedListCostEstimate StaleControllerConsistencyDaemonSet StaleControllerConsistencyJob
  StaleControllerConsistencyReplicaSet StaleControllerConsistencyStatefulSet StatefulSetSemanticRevisionComparison
  StorageNamespaceIndex StorageVersionHash StrictIPCIDRValidation
  StructuredAuthenticationConfigurationEgressSelector StructuredAuthenticationConfigurationJWKSMetrics
  TokenRequestServiceAccountUIDValidation TopologyManagerPolicyBetaOptions TranslateStreamCloseWebsocketRequests
  UnauthenticatedHTTP2DOSMitigation UnknownVersionInteroperabilityProxy WatchCacheInitializationPostStartHook
  WatchList WindowsGracefulNodeShutdown
`);

/** Off by default: what they are about is not built. Alpha, then beta, then deprecated ones. */
export const NOT_BUILT: readonly string[] = namesOf(`
  AllowUnsafeMalformedObjectDeletion APIServingWithRoutine CBORServingAndStorage
  CloudControllerManagerWatchBasedRoutesReconciliation CloudControllerManagerWebhook
  ControllerManagerReleaseLeaderElectionLockOnExit CPUManagerPolicyAlphaOptions CRIListStreaming
  CrossNamespaceVolumeDataSource CSIVolumeHealth DRAListTypeAttributes DRANodeAllocatableResources
  DRAResourcePoolStatus DRAWorkloadResourceClaims EventedPLEG GangScheduling GenericWorkload HPAScaleToZero
  ImageVolumeWithDigest InPlacePodVerticalScalingExclusiveCPUs InPlacePodVerticalScalingExclusiveMemory
  KubeletInUserNamespace LoggingAlphaOptions ManifestBasedAdmissionControlConfig MemoryQoS MutablePVNodeAffinity
  NativeHistograms PersistentVolumeClaimUnusedSinceTime PodAndContainerStatsFromCRI PodLevelResourceManagers
  PodLogsQuerySplitStreams PodsAPI QOSReserved ReduceDefaultCrashLoopBackOffDecay RuntimeClassInImageCriAPI
  ShardedListAndWatch StorageCapacityScoring StorageVersionAPI
  TopologyAwareWorkloadScheduling TopologyManagerPolicyAlphaOptions UserNamespacesHostNetworkSupport
  VolumeLimitScaling WindowsCPUAndMemoryAffinity WorkloadAwarePreemption WorkloadWithJob
  ConcurrentWatchObjectDecode CoordinatedLeaderElection DRADeviceTaintRules
  LocalStorageCapacityIsolationFSQuotaMonitoring PodCertificateRequest
  SchedulerAsyncAPICalls SELinuxMount StorageVersionMigrator
  AllowDNSOnlyNodeCSR AllowInsecureKubeletCertificateSigningRequests ChangeContainerStatusOnKubeletRestart
  DeclarativeValidationTakeover KMSv1 KubeletRegistrationGetOnExistsOnly WindowsHostNetwork
`);

/** Off by default, and built: with the gates that each needs. */
export const SWITCHABLE = {
  ClusterTrustBundle: [],
  ClusterTrustBundleProjection: ['ClusterTrustBundle'],
  ContainerStopSignals: [],
  MaxUnavailableStatefulSet: [],
  TaintTolerationComparisonOperators: [],
} as const satisfies { readonly [gate: string]: readonly string[] };

/** Names for all alpha or all beta gates that nothing else is said of. */
export const WHOLE_STAGES: readonly string[] = ['AllAlpha', 'AllBeta'];
