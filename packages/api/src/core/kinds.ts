import type { KindRules } from '../kind.ts';
import { validateConfigMap, validateConfigMapUpdate } from './config-map/validation.ts';
import { ENDPOINTS_RULES } from './endpoints/rules.ts';
import { EVENT_RULES } from './event/rules.ts';
import { LIMIT_RANGE_RULES } from './limit-range/rules.ts';
import { NAMESPACE_RULES } from './namespace/rules.ts';
import { NODE_RULES } from './node/rules.ts';
import { PERSISTENT_VOLUME_CLAIM_RULES, PERSISTENT_VOLUME_RULES } from './persistent-volume/rules.ts';
import { POD_RULES, POD_TEMPLATE_RULES } from './pod/rules.ts';
import { validateBinding } from './pod/validation.ts';
import { REPLICATION_CONTROLLER_RULES } from './replication-controller/rules.ts';
import { RESOURCE_QUOTA_RULES } from './resource-quota/rules.ts';
import { SECRET_RULES } from './secret/rules.ts';
import { SERVICE_RULES } from './service/rules.ts';
import { serviceAccountWarnings } from './warnings.ts';

/** Rules of the kinds of the core group. */
export const CORE_KINDS: { readonly [kind: string]: KindRules } = {
  Binding: { validate: validateBinding },
  ConfigMap: { validate: validateConfigMap, validateUpdate: validateConfigMapUpdate },
  Endpoints: ENDPOINTS_RULES,
  Event: EVENT_RULES,
  LimitRange: LIMIT_RANGE_RULES,
  Namespace: NAMESPACE_RULES,
  Node: NODE_RULES,
  PersistentVolume: PERSISTENT_VOLUME_RULES,
  PersistentVolumeClaim: PERSISTENT_VOLUME_CLAIM_RULES,
  Pod: POD_RULES,
  PodTemplate: POD_TEMPLATE_RULES,
  ReplicationController: REPLICATION_CONTROLLER_RULES,
  ResourceQuota: RESOURCE_QUOTA_RULES,
  Secret: SECRET_RULES,
  Service: SERVICE_RULES,
  ServiceAccount: { warnings: serviceAccountWarnings },
};
