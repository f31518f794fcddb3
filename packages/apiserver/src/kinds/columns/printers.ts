import type { TablePrinter } from '../../ports/columns.ts';
import * as config from './config.ts';
import { eventPrinter, groupEventPrinter } from '../core/events/columns.ts';
import * as network from './network.ts';
import { nodePrinter } from '../core/nodes/columns.ts';
import { podPrinter } from '../core/pods/columns.ts';
import { roleBindingPrinter, rolePrinter } from './rbac.ts';
import * as storage from './storage.ts';
import * as workloads from './workloads.ts';

const RBAC = 'rbac.authorization.k8s.io';
const NETWORKING = 'networking.k8s.io';

/** The printers by `resource[.group]`; resources that are not here show name and age. */
export const PRINTERS: ReadonlyMap<string, TablePrinter> = new Map<string, TablePrinter>([
  ['pods', podPrinter],
  ['nodes', nodePrinter],
  ['services', network.servicePrinter],
  ['endpoints', network.endpointsPrinter],
  ['events', eventPrinter],
  ['events.events.k8s.io', groupEventPrinter],
  ['namespaces', config.namespacePrinter],
  ['secrets', config.secretPrinter],
  ['configmaps', config.configMapPrinter],
  ['serviceaccounts', config.serviceAccountPrinter],
  ['limitranges', config.limitRangePrinter],
  ['resourcequotas', config.resourceQuotaPrinter],
  ['replicationcontrollers', workloads.replicationControllerPrinter],
  ['podtemplates', workloads.podTemplatePrinter],
  ['persistentvolumes', storage.persistentVolumePrinter],
  ['persistentvolumeclaims', storage.persistentVolumeClaimPrinter],
  ['replicasets.apps', workloads.replicaSetPrinter],
  ['deployments.apps', workloads.deploymentPrinter],
  ['daemonsets.apps', workloads.daemonSetPrinter],
  ['statefulsets.apps', workloads.statefulSetPrinter],
  ['controllerrevisions.apps', workloads.controllerRevisionPrinter],
  ['jobs.batch', workloads.jobPrinter],
  ['cronjobs.batch', workloads.cronJobPrinter],
  ['leases.coordination.k8s.io', config.leasePrinter],
  ['endpointslices.discovery.k8s.io', network.endpointSlicePrinter],
  [`ingresses.${NETWORKING}`, network.ingressPrinter],
  [`ingressclasses.${NETWORKING}`, network.ingressClassPrinter],
  [`networkpolicies.${NETWORKING}`, network.networkPolicyPrinter],
  [`servicecidrs.${NETWORKING}`, network.serviceCidrPrinter],
  [`ipaddresses.${NETWORKING}`, network.ipAddressPrinter],
  ['runtimeclasses.node.k8s.io', config.runtimeClassPrinter],
  ['poddisruptionbudgets.policy', config.podDisruptionBudgetPrinter],
  [`roles.${RBAC}`, rolePrinter],
  [`clusterroles.${RBAC}`, rolePrinter],
  [`rolebindings.${RBAC}`, roleBindingPrinter],
  [`clusterrolebindings.${RBAC}`, roleBindingPrinter],
  ['priorityclasses.scheduling.k8s.io', config.priorityClassPrinter],
  ['storageclasses.storage.k8s.io', storage.storageClassPrinter],
]);
