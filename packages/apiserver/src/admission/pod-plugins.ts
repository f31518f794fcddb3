import * as configuration from './configuration.ts';
import { configuredImagePolicy } from './image-policy.ts';
import { createDeclaredFeatures } from './declared-features.ts';
import { defaultTolerationSeconds } from './default-tolerations.ts';
import { configurable, OFF, row } from './plugin-row.ts';
import type { PluginRow } from './plugin-row.ts';
import { createPodNodeSelector } from './pod-node-selector.ts';
import { createPodResize } from './pod-resize.ts';
import * as rules from './pod-rules.ts';
import { createPodSecurity } from './pod-security/pod-security.ts';
import { createPriority } from './priority.ts';
import { createRuntimeClass } from './runtime-class.ts';
import { createServiceAccountAdmission } from './service-account.ts';
import { taintNodesByCondition } from './taint-nodes.ts';
import { createTolerationRestriction, tolerateExtendedResources } from './tolerations.ts';
import { createTopologyLabels } from './topology-labels.ts';

/** The plugins that look at pods and at what they run on. */
export const POD_PLUGINS: readonly PluginRow[] = [
  row('LimitPodHardAntiAffinityTopology', () => rules.limitHardAntiAffinity, OFF),
  row('ServiceAccount', createServiceAccountAdmission),
  row('TaintNodesByCondition', () => taintNodesByCondition),
  row('AlwaysPullImages', () => rules.alwaysPullImages, OFF),
  configurable(
    'ImagePolicyWebhook',
    (world, document, endpoint) => configuredImagePolicy(world, document, endpoint),
    OFF,
  ),
  configurable('PodSecurity', (world, document) => createPodSecurity(world, configuration.readPodSecurity(document))),
  configurable(
    'PodNodeSelector',
    (_, document) => createPodNodeSelector(configuration.readNodeSelectors(document)),
    OFF,
  ),
  row('Priority', ({ cache }) => createPriority(cache)),
  row('DefaultTolerationSeconds', () => defaultTolerationSeconds),
  configurable(
    'PodTolerationRestriction',
    (_, document) => createTolerationRestriction(configuration.readTolerationRestriction(document)),
    OFF,
  ),
  row('ExtendedResourceToleration', () => tolerateExtendedResources, OFF),
  row('RuntimeClass', ({ cache }) => createRuntimeClass(cache)),
  row('PodTopologyLabels', ({ cache }) => createTopologyLabels(cache)),
  row('NodeDeclaredFeatureValidator', ({ cache }) => createDeclaredFeatures(cache)),
  row('PodResizeValidator', ({ cache }) => createPodResize(cache)),
];
