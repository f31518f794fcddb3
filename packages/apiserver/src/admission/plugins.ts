import { assert } from '@binnacle/base';
import type { RbacIndex } from '../access/rbac/rbac-index.ts';
import type { AdmissionPlugin } from '../ports/admission.ts';
import type { AdmissionChoice } from '../ports/admission-choice.ts';
import { AdmissionConfigurationError } from './configuration-error.ts';
import { createCertificateRequests } from './certificate-requests.ts';
import { CLUSTER_PLUGINS } from './cluster-plugins.ts';
import { row } from './plugin-row.ts';
import type { PluginRow, PluginWorld } from './plugin-row.ts';
import { POD_PLUGINS } from './pod-plugins.ts';
import { createMutatingPolicies } from './policies/mutating-policies.ts';
import { createValidatingPolicies } from './policies/validating-policies.ts';
import { USAGE_PLUGINS } from './usage-plugins.ts';
import { createMutatingWebhooks, createValidatingWebhooks } from './webhooks/webhooks.ts';
import { createRoleEscalation } from './role-escalation.ts';

/** Upstream's order. */
const ORDER: readonly string[] = [
  'AlwaysAdmit',
  'NamespaceAutoProvision',
  'NamespaceLifecycle',
  'NamespaceExists',
  'LimitPodHardAntiAffinityTopology',
  'LimitRanger',
  'ServiceAccount',
  'NodeRestriction',
  'TaintNodesByCondition',
  'AlwaysPullImages',
  'ImagePolicyWebhook',
  'PodSecurity',
  'PodNodeSelector',
  'Priority',
  'DefaultTolerationSeconds',
  'PodTolerationRestriction',
  'EventRateLimit',
  'ExtendedResourceToleration',
  'DefaultStorageClass',
  'StorageObjectInUseProtection',
  'OwnerReferencesPermissionEnforcement',
  'PersistentVolumeClaimResize',
  'RuntimeClass',
  'CertificateApproval',
  'CertificateSigning',
  'ClusterTrustBundleAttest',
  'CertificateSubjectRestriction',
  'DefaultIngressClass',
  'DenyServiceExternalIPs',
  'PodTopologyLabels',
  'NodeDeclaredFeatureValidator',
  'PodResizeValidator',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionWebhook',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionWebhook',
  'ResourceQuota',
  'AlwaysDeny',
];

const WEBHOOK_PLUGINS: readonly PluginRow[] = [
  row('MutatingAdmissionPolicy', (world) => createMutatingPolicies(world)),
  row('ValidatingAdmissionPolicy', (world) => createValidatingPolicies(world)),
  row('MutatingAdmissionWebhook', (world) => createMutatingWebhooks({ ...world, http: world.http })),
  row('ValidatingAdmissionWebhook', (world) => createValidatingWebhooks({ ...world, http: world.http })),
];

/** All that can be chosen, in the order in which they are asked. */
export const ALL_PLUGINS: readonly PluginRow[] = [
  ...POD_PLUGINS,
  ...CLUSTER_PLUGINS,
  ...USAGE_PLUGINS,
  ...WEBHOOK_PLUGINS,
].sort((a, b) => placeOf(a) - placeOf(b));

function placeOf({ name }: PluginRow): number {
  const place = ORDER.indexOf(name);
  assert(place !== -1, 'every plugin has a place in the order', { name });
  return place;
}

export interface AdmissionWorld extends PluginWorld {
  readonly index: RbacIndex;
  readonly admission?: AdmissionChoice;
}

/** The plugins that are on, in upstream's order. Throws AdmissionConfigurationError for a choice that cannot be. */
export function createAdmission(world: AdmissionWorld): readonly AdmissionPlugin[] {
  const { index, authorizer, admission = {}, checkRequestSignature } = world;
  const chosen = choosePlugins(admission).map((plugin) =>
    plugin.make(world, admission.configuration?.get(plugin.name), admission.endpoints?.get(plugin.name)),
  );
  // Upstream has these in the storage of requests, and of roles and bindings: after everything that changes them, and they
  // cannot be off.
  return [createCertificateRequests(checkRequestSignature), ...chosen, createRoleEscalation(index, authorizer)];
}

/** Which of all plugins are on. Throws AdmissionConfigurationError. */
export function choosePlugins({ enable = [], disable = [], configuration }: AdmissionChoice): readonly PluginRow[] {
  for (const [flag, names] of [
    ['enable-admission-plugins', enable],
    ['disable-admission-plugins', disable],
  ] as const) {
    const unknown = names.find((name) => !ALL_PLUGINS.some((plugin) => plugin.name === name));
    if (unknown !== undefined) throw new AdmissionConfigurationError(`${flag} plugin "${unknown}" is unknown`);
  }
  const both = enable.filter((name) => disable.includes(name));
  if (both.length > 0) {
    throw new AdmissionConfigurationError(
      `[${both.sort().join(' ')}] in enable-admission-plugins and disable-admission-plugins overlapped`,
    );
  }
  for (const name of configuration?.keys() ?? []) {
    if (ALL_PLUGINS.some((plugin) => plugin.name === name && plugin.configurable === true)) continue;
    throw new AdmissionConfigurationError(`admission plugin "${name}" takes no configuration`);
  }
  return ALL_PLUGINS.filter(({ name, on }) => enable.includes(name) || (on && !disable.includes(name)));
}

/** Plugins that a document is there for and that are off, so that nobody follows it. Throws AdmissionConfigurationError. */
export function idleDocuments(choice: AdmissionChoice): readonly string[] {
  const on = new Set(choosePlugins(choice).map(({ name }) => name));
  return [...(choice.configuration?.keys() ?? [])].filter((name) => !on.has(name));
}
