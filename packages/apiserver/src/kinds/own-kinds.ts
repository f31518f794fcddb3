import type { Clock, HttpCaller, Random } from '@binnacle/base';
import type { Store } from '@binnacle/store';
import type { Call, SubresourceDefinition } from '../catalogue/definition.ts';
import type { HealthCheck } from '../ports/health.ts';
import type { StreamMeasures } from '../ports/measures.ts';
import type { NodeConnector } from '../ports/nodes.ts';
import type { CacheReader } from '../ports/reader.ts';
import type { WebSocketDesk } from '../ports/web-sockets.ts';
import type { Changer } from '../verbs/change.ts';
import type { FieldOwnership } from '../verbs/field-ownership.ts';
import type { Verbs } from '../verbs/verbs.ts';
import { expressionChecks } from './admissionregistration/expression-checks.ts';
import { definitionRules } from './apiextensions/rules/definition-rules.ts';
import { apiServiceStrategy } from './apiregistration/api-service-strategy.ts';
import type { KindBehaviours } from './behaviour.ts';
import { createApprovalPart, createSigningPart } from './certificates/signing-requests/parts.ts';
import { componentStatuses } from './core/component-statuses/component-statuses.ts';
import { createVolumeStrategy } from './core/persistent-volumes/strategy.ts';
import { createFinalize } from './core/namespaces/finalize.ts';
import { createPodLog } from './core/pods/log.ts';
import { proxySubresources } from './core/proxy/proxy.ts';
import { podStreams } from './core/pods/streams.ts';
import { EPHEMERAL_CONTAINERS, RESIZE } from './core/pods/parts.ts';

export interface OwnKindsWorld {
  readonly verbs: Pick<Verbs, 'get' | 'update' | 'patch'>;
  readonly changer: Changer;
  readonly ownership: FieldOwnership;
  readonly cache: CacheReader;
  readonly store: Pick<Store, 'status'>;
  readonly clock: Clock;
  readonly nodes: NodeConnector | undefined;
  readonly streams: StreamMeasures;
  /** Absent: nothing is translated. */
  readonly webSockets: WebSocketDesk | undefined;
  readonly random: Random;
  /** The components of this process. Absent: they have processes of their own. */
  readonly components: (() => readonly HealthCheck[]) | undefined;
  /** Absent: nobody is asked. */
  readonly http: HttpCaller | undefined;
  /** Absent: nothing is passed on. */
  readonly passing: HttpCaller | undefined;
}

/** What kinds do with every policy, and need the server for. */
export function ownBehaviours(world: OwnKindsWorld): KindBehaviours {
  const { verbs, changer, cache, clock, nodes } = world;
  const proxies = proxySubresources({ ...world, http: world.passing, get: verbs.get });
  const component = (call: Parameters<typeof componentStatuses>[1]) => componentStatuses(world, call);
  return {
    'customresourcedefinitions.apiextensions.k8s.io': definitionRules(),
    ...expressionChecks(),
    'apiservices.apiregistration.k8s.io': { strategy: apiServiceStrategy(clock) },
    componentstatuses: {
      answer: { get: component, list: component },
      warning: 'v1 ComponentStatus is deprecated in v1.19+',
    },
    namespaces: { subresources: { finalize: { handlers: { update: createFinalize(changer) } } } },
    persistentvolumes: { strategy: createVolumeStrategy(clock) },
    nodes: { subresources: { proxy: proxies.nodes } },
    services: { subresources: { proxy: proxies.services } },
    pods: {
      subresources: {
        ...podStreams({ ...world, get: verbs.get }),
        proxy: proxies.pods,
        log: { handlers: { get: createPodLog({ get: verbs.get, cache, nodes }) } },
        ephemeralcontainers: { handlers: handlersOfPart(verbs), part: EPHEMERAL_CONTAINERS },
        resize: { handlers: handlersOfPart(verbs), part: RESIZE },
      },
    },
    'certificatesigningrequests.certificates.k8s.io': {
      subresources: {
        approval: { handlers: handlersOfPart(verbs), part: createApprovalPart(clock) },
        status: { handlers: handlersOfPart(verbs), part: createSigningPart(clock) },
      },
    },
  };
}

/** `status` of all kinds that have one. */
export function statusSubresource(verbs: Pick<Verbs, 'get' | 'update' | 'patch'>): SubresourceDefinition {
  return { handlers: handlersOfPart(verbs), part: 'status' };
}

/** The verbs of a subresource that shows the whole object. */
function handlersOfPart({ get, update, patch }: Pick<Verbs, 'get' | 'update' | 'patch'>) {
  return { get: (call: Call) => get(call), update: (call: Call) => update(call), patch: (call: Call) => patch(call) };
}
