import { status } from '@binnacle/machinery';
import type { HealthCheck } from '../ports/health.ts';

/** The steps of a start that end one after another, each with what upstream calls a hook. */
type Step = 'caches' | 'customKinds' | 'aggregation' | 'firstObjects' | 'flowObjects' | 'registration';

/** Upstream's names (`poststarthook/…`), in its order, by the step of this server after which each is done. */
const HOOKS: readonly (readonly [name: string, after: Step])[] = [
  ['poststarthook/start-apiserver-admission-initializer', 'caches'],
  ['poststarthook/generic-apiserver-start-informers', 'caches'],
  ['poststarthook/priority-and-fairness-config-consumer', 'flowObjects'],
  ['poststarthook/priority-and-fairness-filter', 'caches'],
  ['poststarthook/storage-object-count-tracker-hook', 'caches'],
  ['poststarthook/start-apiextensions-informers', 'customKinds'],
  ['poststarthook/start-apiextensions-controllers', 'customKinds'],
  ['poststarthook/crd-informer-synced', 'customKinds'],
  ['poststarthook/start-system-namespaces-controller', 'firstObjects'],
  ['poststarthook/start-cluster-authentication-info-controller', 'firstObjects'],
  ['poststarthook/start-kube-apiserver-identity-lease-controller', 'firstObjects'],
  ['poststarthook/start-kube-apiserver-identity-lease-garbage-collector', 'firstObjects'],
  ['poststarthook/storage-readiness', 'caches'],
  ['poststarthook/start-legacy-token-tracking-controller', 'firstObjects'],
  ['poststarthook/start-service-ip-repair-controllers', 'firstObjects'],
  ['poststarthook/rbac/bootstrap-roles', 'firstObjects'],
  ['poststarthook/scheduling/bootstrap-system-priority-classes', 'firstObjects'],
  ['poststarthook/priority-and-fairness-config-producer', 'flowObjects'],
  ['poststarthook/bootstrap-controller', 'firstObjects'],
  ['poststarthook/start-kubernetes-service-cidr-controller', 'firstObjects'],
  ['poststarthook/start-kube-aggregator-informers', 'aggregation'],
  ['poststarthook/apiservice-status-local-available-controller', 'aggregation'],
  ['poststarthook/apiservice-status-remote-available-controller', 'aggregation'],
  ['poststarthook/apiservice-registration-controller', 'registration'],
  ['poststarthook/apiservice-wait-for-first-sync', 'registration'],
  ['poststarthook/apiservice-discovery-controller', 'aggregation'],
  ['poststarthook/kube-apiserver-autoregistration', 'registration'],
  ['autoregister-completion', 'registration'],
  ['poststarthook/apiservice-openapi-controller', 'aggregation'],
  ['poststarthook/apiservice-openapiv3-controller', 'aggregation'],
];

/** How far the server has come: where clients reach it, and which steps of its start are behind it. */
export class Standing {
  #address = '';
  #isClosing = false;
  readonly #done = new Set<Step>();

  /** One check for each of upstream's hooks: well once it is done. */
  readonly hooks: readonly HealthCheck[] = HOOKS.map(([name, after]) => ({
    name,
    check: () => {
      if (!this.#done.has(after)) throw status.serviceUnavailable('not finished');
    },
  }));

  /** Ready only: a server that is going takes no more work, and lives. */
  readonly readiness: readonly HealthCheck[] = [
    {
      name: 'shutdown',
      check: () => {
        if (this.#isClosing) throw status.serviceUnavailable('process is shutting down');
      },
    },
  ];

  /** `host:port`; empty before it is known. */
  get address(): string {
    return this.#address;
  }

  reachableAt(address: string): void {
    this.#address = address;
  }

  finished(step: Step): void {
    this.#done.add(step);
  }

  closing(): void {
    this.#isClosing = true;
  }
}
