export type { Condition } from './condition.ts';
export { getCondition, isConditionTrue, removeCondition, setCondition } from './condition.ts';
export type { Draft } from './draft.ts';
export type { FieldValue, KindRules, ResourceInfo, SubresourceInfo } from './kind.ts';
export { kindRules } from './kinds.ts';
export { findingsOf, statusFindingsOf, validateCreate, validateStatusUpdate, validateUpdate } from './validate.ts';
export type { KindToValidate } from './validate.ts';
export { getDeploymentCondition, isDeploymentComplete, revisionOf } from './apps/deployment/questions.ts';
export { toAutoscalerV1, toAutoscalerV2 } from './autoscaling/conversion.ts';
export { isTimeZone, parseCronSchedule } from './batch/cron-schedule.ts';
export type { CronFields, CronSchedule, ParsedSchedule } from './batch/cron-schedule.ts';
export { countIndexes, parseIndexes } from './batch/index-intervals.ts';
export type { IndexInterval, ParsedIndexes } from './batch/index-intervals.ts';
export { readRulePath } from './apiextensions/custom-resource-definition/rule-path.ts';
export { allRuleMistakes, ruleMistakes } from './apiextensions/custom-resource-definition/rule-shape.ts';
export { schemasToJudge } from './apiextensions/custom-resource-definition/shared-parts.ts';
export type { SchemaPlace } from './apiextensions/custom-resource-definition/shared-parts.ts';
export { generateJobSelector } from './batch/job-selector.ts';
export { podTemplateHash, safeEncode } from './apps/pod-template-hash.ts';
export { toCoreEvent, toGroupEvent } from './core/event/conversion.ts';
export { EVENTS_GROUP_FIELDS } from './core/event/fields.ts';
export { chooseStanding, endpointStanding } from './discovery/questions.ts';
export type { EndpointStanding } from './discovery/questions.ts';
export { isNamespaceFinalized, isNamespaceTerminating } from './core/namespace/questions.ts';
export { validateNamespaceFinalize } from './core/namespace/validation.ts';
export {
  getNodeCondition,
  internalAddresses,
  isNodeReady,
  isNodeUnschedulable,
  nodeAddress,
} from './core/node/questions.ts';
export {
  namesStorageClass,
  storageClassNameOf,
  volumeKeptFor,
  volumeMismatch,
  volumeModeOf,
  volumesForClaim,
} from './core/persistent-volume/matching.ts';
export { featuresToPlace, featuresToUpdate, undeclaredFeatures } from './core/pod/declared-features.ts';
export { defaultPullPolicy, imageTag } from './core/pod/image.ts';
export type { SelectableNode } from './core/pod/node-affinity.ts';
export {
  matchesNodeSelection,
  nodeSelectionOf,
  matchesNodeSelector,
  matchesNodeSelectorTerm,
} from './core/pod/node-affinity.ts';
export {
  availableInMs,
  findContainerStatus,
  getPodCondition,
  isMirrorPod,
  isPodActive,
  isPodAvailable,
  isPodReady,
  isPodScheduled,
  isPodTerminal,
  isPodTerminating,
  isSidecar,
  mayBeginAnew,
  mayRestartAll,
  podRestartCount,
} from './core/pod/questions.ts';
export { apiReferenceOf, configMapNamesOf, secretNamesOf } from './core/pod/references.ts';
export { validateBinding, validateEphemeralContainersUpdate, validatePodResize } from './core/pod/validation.ts';
export { heldRequests, placedPodRequests, podRequests, resourceAmount } from './core/pod/requests.ts';
export type { ResourceAmounts, UnstatedRequests } from './core/pod/requests.ts';
export { findUntoleratedTaint, toleratesTaint } from './core/pod/toleration.ts';
export { podQosClass } from './core/pod/qos.ts';
export { isExtendedResource } from './core/resource-names.ts';
export { podAmounts } from './quota/pod-amounts.ts';
export { hasDeadline } from './quota/pod-evaluator.ts';
export { attributesClassesOf } from './quota/claim-evaluator.ts';
export { isInQuotaScopes, quotaEvaluators, quotaScopes } from './quota/evaluators.ts';
export type { QuotaEvaluators } from './quota/evaluators.ts';
export type { DeviceCounting } from './quota/device-claim-evaluator.ts';
export {
  EXTENDED_RESOURCE_CLAIM,
  ExtendedResourceClasses,
  isClaimForResources,
  podOfResources,
  resourcesOfClass,
} from './resource/extended-resources.ts';
export { toleratesAll, toleratesDeviceTaint } from './resource/device-toleration.ts';
export type { QuotaEvaluator } from './quota/quota-evaluator.ts';
export * as quotaAmounts from './quota/amounts.ts';
export type { QuotaAmounts } from './quota/amounts.ts';
export { isExternallyAccessible } from './core/service/defaults.ts';
export { isHeadless, needsHealthCheck } from './core/service/questions.ts';
export { signDetached } from './core/secret/detached-signature.ts';
export { foldStringData } from './core/secret/string-data.ts';
export { CSI_VOLUME_PREFIX, csiAttachmentName, csiVolumeName, parseCsiVolumeName } from './storage/csi-names.ts';
export type { CsiVolume } from './storage/csi-names.ts';
export * as wellknown from './wellknown.ts';
export type { ResourceRef } from './resource-ref.ts';
export { findKind, findResource, RESOURCES, RESOURCES_ON_REQUEST, schemaName } from './resources.ts';
export { chooseFeatures, DEFAULT_FEATURES } from './features/choose-features.ts';
export type { Features, GateWishes } from './features/choose-features.ts';
export { gateStates } from './features/gate-states.ts';
export type { GateStage, GateState } from './features/gate-states.ts';
export { readComponentGates, readKubeletGates, readRuntimeConfig } from './features/flag-texts.ts';
export { requestedResources } from './features/runtime-config.ts';
export { publishedBundleName } from './certificates/cluster-trust-bundle/bundle-name.ts';
export { schemas } from './schemas.ts';
export {
  BINDINGS,
  CERTIFICATE_SIGNING_REQUESTS,
  CLUSTER_TRUST_BUNDLES,
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  CONFIG_MAPS,
  CONTROLLER_REVISIONS,
  CRON_JOBS,
  CSI_DRIVERS,
  CSI_NODES,
  DAEMON_SETS,
  DEPLOYMENTS,
  DEVICE_CLASSES,
  ENDPOINT_SLICES,
  ENDPOINTS,
  EVENTS,
  HORIZONTAL_POD_AUTOSCALERS,
  IP_ADDRESSES,
  JOBS,
  LEASES,
  NAMESPACES,
  INGRESS_CLASSES,
  INGRESSES,
  NETWORK_POLICIES,
  NODES,
  PERSISTENT_VOLUMES,
  PERSISTENT_VOLUME_CLAIMS,
  POD_DISRUPTION_BUDGETS,
  PODS,
  FLOW_SCHEMAS,
  CUSTOM_RESOURCE_DEFINITIONS,
  VALIDATING_ADMISSION_POLICIES,
  PRIORITY_CLASSES,
  PRIORITY_LEVEL_CONFIGURATIONS,
  RESOURCE_CLAIMS,
  RESOURCE_CLAIM_TEMPLATES,
  RESOURCE_SLICES,
  RESOURCE_QUOTAS,
  REPLICA_SETS,
  REPLICATION_CONTROLLERS,
  ROLE_BINDINGS,
  ROLES,
  RUNTIME_CLASSES,
  SECRETS,
  SERVICE_ACCOUNTS,
  SERVICE_CIDRS,
  SERVICES,
  STATEFUL_SETS,
  STORAGE_CLASSES,
  VOLUME_ATTACHMENTS,
  VOLUME_ATTRIBUTES_CLASSES,
} from './refs.ts';
