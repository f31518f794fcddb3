import * as config from '../columns/config.ts';
import * as network from '../columns/network.ts';
import * as storage from '../columns/storage.ts';
import * as workloads from '../columns/workloads.ts';
import type { KindBehaviours } from '../behaviour.ts';
import { eventPrinter, groupEventPrinter } from './events/columns.ts';
import { EVENT_CONVERSION, GROUP_EVENT_FIELDS } from './events/conversion.ts';
import { NAMESPACE_STRATEGY } from './namespaces/strategy.ts';
import { nodePrinter } from './nodes/columns.ts';
import { NODE_STRATEGY } from './nodes/strategy.ts';
import { VOLUME_CLAIM_STRATEGY } from './persistent-volume-claims/strategy.ts';
import { podPrinter } from './pods/columns.ts';
import { POD_STRATEGY } from './pods/strategy.ts';
import { SECRET_STRATEGY } from './secrets/strategy.ts';
import { secretWarnings } from './secrets/warnings.ts';
import { SERVICE_STRATEGY } from './services/strategy.ts';

const EVENT_TTL_SECONDS = 3600;

/**
 * The core group's resources: one row for each that does anything of its own; the others are rows of the resource
 * table and nothing else. Sources: the strategy of each kind in upstream's registry.
 */
export const CORE_KINDS: KindBehaviours = {
  configmaps: { eager: true, columns: config.configMapPrinter },
  endpoints: {
    createOnUpdate: true,
    columns: network.endpointsPrinter,
    versions: { v1: { warning: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice' } },
  },
  events: {
    createOnUpdate: true,
    ttlSeconds: EVENT_TTL_SECONDS,
    columns: eventPrinter,
    versions: {
      'events.k8s.io/v1': { conversion: EVENT_CONVERSION, fields: GROUP_EVENT_FIELDS, columns: groupEventPrinter },
    },
  },
  limitranges: { createOnUpdate: true, eager: true, columns: config.createdPrinter },
  namespaces: { eager: true, strategy: NAMESPACE_STRATEGY, columns: config.namespacePrinter },
  nodes: { eager: true, strategy: NODE_STRATEGY, columns: nodePrinter },
  persistentvolumeclaims: {
    strategy: VOLUME_CLAIM_STRATEGY,
    returnsDeleted: true,
    eager: true,
    columns: storage.persistentVolumeClaimPrinter,
  },
  persistentvolumes: { returnsDeleted: true, eager: true, columns: storage.persistentVolumePrinter },
  pods: {
    generation: true,
    returnsDeleted: true,
    eager: true,
    indexedField: 'spec.nodeName',
    strategy: POD_STRATEGY,
    columns: podPrinter,
  },
  podtemplates: { generation: true, returnsDeleted: true, columns: workloads.podTemplatePrinter },
  replicationcontrollers: { generation: true, orphansByDefault: true, columns: workloads.replicationControllerPrinter },
  resourcequotas: { returnsDeleted: true, eager: true, columns: config.resourceQuotaPrinter },
  secrets: {
    eager: true,
    strategy: SECRET_STRATEGY,
    checks: { warnings: secretWarnings },
    columns: config.secretPrinter,
  },
  serviceaccounts: { returnsDeleted: true, eager: true, columns: config.serviceAccountPrinter },
  services: {
    createOnUpdate: true,
    returnsDeleted: true,
    eager: true,
    strategy: SERVICE_STRATEGY,
    columns: network.servicePrinter,
  },
};
