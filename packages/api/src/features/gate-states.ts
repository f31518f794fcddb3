import type { Features } from './choose-features.ts';
import { ALWAYS_ON, LOCKED_OFF, LOCKED_ON, namesOf, NOT_BUILT, SWITCHABLE } from './gates.ts';

/** How far a feature has come; graduated ones have no word for it. */
export type GateStage = 'ALPHA' | 'BETA' | 'DEPRECATED' | '';

/** One gate as it stands. */
export interface GateState {
  readonly name: string;
  readonly stage: GateStage;
  readonly isOn: boolean;
}

const among = (names: string): ReadonlySet<string> => new Set(namesOf(names));

/** Those whose stage is another than that of most in their list (facts: upstream's list of versioned features). */
const GRADUATED = among('AllowServiceExternalIPs CPUCFSQuotaPeriod DRAPrioritizedList MutatingAdmissionPolicy');
const BETA = among(`
  ConcurrentWatchObjectDecode CoordinatedLeaderElection DRADeviceTaintRules
  LocalStorageCapacityIsolationFSQuotaMonitoring MaxUnavailableStatefulSet PodCertificateRequest
  SchedulerAsyncAPICalls SELinuxMount StorageVersionMigrator
`);
const ALPHA = among('ContainerStopSignals TaintTolerationComparisonOperators');
const DEPRECATED = among(`
  AggregatedDiscoveryRemoveBetaType DisableNodeKubeProxyVersion DisableCPUQuotaWithExclusiveCPUs
  KubeletPodResourcesListUseActivePods ServiceCIDRStatusFieldWiping StorageNamespaceIndex AllowDNSOnlyNodeCSR
  AllowInsecureKubeletCertificateSigningRequests ChangeContainerStatusOnKubeletRestart DeclarativeValidationTakeover
  KMSv1 KubeletRegistrationGetOnExistsOnly WindowsHostNetwork
`);

/** Every gate of v1.36 with these choices, the ones for whole stages too. */
export function gateStates(features: Features): readonly GateState[] {
  const stated = (names: readonly string[], usual: GateStage, isOn: boolean): readonly GateState[] =>
    names.map((name) => ({ name, stage: stageOf(name, usual), isOn }));
  const chosen = Object.keys(SWITCHABLE) as readonly (keyof Features)[];
  return [
    ...stated(['AllAlpha'], 'ALPHA', false),
    ...stated(['AllBeta'], 'BETA', false),
    ...stated(LOCKED_ON, '', true),
    ...stated(LOCKED_OFF, 'DEPRECATED', false),
    ...stated(ALWAYS_ON, 'BETA', true),
    ...stated(NOT_BUILT, 'ALPHA', false),
    ...chosen.flatMap((name) => stated([name], 'BETA', features[name])),
  ];
}

function stageOf(name: string, usual: GateStage): GateStage {
  if (DEPRECATED.has(name)) return 'DEPRECATED';
  if (GRADUATED.has(name)) return '';
  if (ALPHA.has(name)) return 'ALPHA';
  return BETA.has(name) ? 'BETA' : usual;
}
