import type { KindRules } from '../kind.ts';
import { validateControllerRevision, validateControllerRevisionUpdate } from './controller-revision/validation.ts';
import { DAEMON_SET_RULES } from './daemon-set/rules.ts';
import { DEPLOYMENT_RULES } from './deployment/rules.ts';
import { REPLICA_SET_RULES } from './replica-set/rules.ts';
import { STATEFUL_SET_RULES } from './stateful-set/rules.ts';

/** Rules of the kinds of the group apps. */
export const APPS_KINDS: { readonly [kind: string]: KindRules } = {
  ControllerRevision: { validate: validateControllerRevision, validateUpdate: validateControllerRevisionUpdate },
  DaemonSet: DAEMON_SET_RULES,
  Deployment: DEPLOYMENT_RULES,
  ReplicaSet: REPLICA_SET_RULES,
  StatefulSet: STATEFUL_SET_RULES,
};
