import type { KubeObject } from '@binnacle/machinery';
import {
  DEVICE_CLASSES,
  ExtendedResourceClasses,
  podOfResources,
  PODS,
  quotaEvaluators,
  RESOURCE_CLAIMS,
  RESOURCE_QUOTAS,
  resourcesOfClass,
} from '@binnacle/api';
import type { QuotaEvaluators } from '@binnacle/api';
import type { ResourceQuota } from '@binnacle/api/core/v1';
import type { DeviceClass } from '@binnacle/api/resource/v1';
import { cacheKey } from '@binnacle/client';
import type { Informer } from '@binnacle/client';
import {
  BY_CONTROLLER,
  gatherMs,
  IN_NAMESPACE,
  OWNERSHIP_INDEXES,
  runController,
  triggerOf,
} from '@binnacle/reconcile';
import type { Controller, SyncContext, Trigger } from '@binnacle/reconcile';
import type { ControllerKit } from '../controller-kit.ts';
import { CountedCache } from './counted-cache.ts';
import type { CountedChange } from './counted-cache.ts';
import { countedKinds, kindKey } from './counted-kinds.ts';
import type { CountedKind } from './counted-kinds.ts';
import { countsOtherwise, isUncounted, quotaStatus, usedBy } from './quota-status.ts';
import type { Counted } from './quota-status.ts';
import { RecentCharges } from './recent-charges.ts';

/**
 * Upstream's --resource-quota-sync-period: so long after the last change all is counted once more, as what was charged
 * for a creation that failed afterwards shows in no event.
 */
const RECOUNT_MS = 300_000;

/** Starts the controller that counts what each quota's namespace uses. */
export function runResourceQuotaController(kit: ControllerKit): Controller {
  const quotas = kit.informers.need(RESOURCE_QUOTAS, { indexes: OWNERSHIP_INDEXES });
  const usage = new Usage(kit, quotas, (key, delayMs, trigger) => controller.enqueueAfter(key, delayMs, trigger));
  const controller = runController({
    name: 'resourcequota-controller',
    about: { group: '', resource: 'resourcequotas' },
    world: kit.world,
    scope: kit.scope,
    caches: [quotas, ...usage.caches()],
    sync: (key, context) => usage.sync(key, context),
  });
  kit.scope.defer(
    quotas.subscribe({
      add: (quota) => controller.enqueue(cacheKey(quota), triggerOf('ADDED', quota)),
      update: (before, quota) => {
        usage.charged.saw(cacheKey(quota), before, quota);
        const trigger = triggerOf('MODIFIED', quota);
        if (isUncounted(quota)) controller.enqueue(cacheKey(quota), trigger);
        controller.enqueueAfter(cacheKey(quota), RECOUNT_MS, trigger);
      },
      remove: (quota) => controller.enqueue(cacheKey(quota), triggerOf('DELETED', quota)),
    }),
  );
  return controller;
}

class Usage {
  readonly charged: RecentCharges;
  readonly #kit: ControllerKit;
  readonly #quotas: Informer<ResourceQuota>;
  readonly #counted: CountedCache;
  readonly #classes: Informer<DeviceClass>;
  readonly #evaluatorOf: QuotaEvaluators;
  readonly #wake: Controller['enqueueAfter'];
  /** Quotas of what is not served. */
  readonly #waiting = new Set<string>();
  /** How many objects a sync of a quota looks at. */
  readonly #looks = new Map<string, number>();

  constructor(kit: ControllerKit, quotas: Informer<ResourceQuota>, wake: Controller['enqueueAfter']) {
    this.charged = new RecentCharges(kit.world.clock);
    this.#kit = kit;
    this.#quotas = quotas;
    this.#wake = wake;
    this.#counted = new CountedCache(kit, {
      changed: (kind, namespace, change) => this.#follow(kind, namespace, change),
      served: () => this.#waiting.forEach((key) => wake(key, 0, { what: 'a kind that it counts is served now' })),
    });
    this.#classes = kit.informers.need(DEVICE_CLASSES);
    this.#evaluatorOf = this.#makeEvaluators();
  }

  #makeEvaluators(): QuotaEvaluators {
    const classes = new ExtendedResourceClasses(() => this.#classes.list());
    const changed = (trigger: Trigger, ...versions: readonly DeviceClass[]): void => {
      classes.invalidate();
      this.#classChanged(trigger, versions);
    };
    this.#kit.scope.defer(
      this.#classes.subscribe({
        add: (one) => changed(triggerOf('ADDED', one), one),
        update: (before, after) => changed(triggerOf('MODIFIED', after), before, after),
        remove: (one) => changed(triggerOf('DELETED', one), one),
      }),
    );
    const pods = this.#counted.whole(PODS);
    const claims = this.#counted.whole(RESOURCE_CLAIMS);
    return quotaEvaluators({
      classes,
      pod: (namespace, name) => pods.get(`${namespace}/${name}`),
      claimsForPod: (_, uid) => claims.byIndex(BY_CONTROLLER, uid).filter((one) => podOfResources(one).includes(uid)),
    });
  }

  /** Claims for its devices count as other resources now. */
  #classChanged(trigger: Trigger, versions: readonly DeviceClass[]): void {
    const names = new Set(versions.flatMap(resourcesOfClass).map((resource) => `requests.${resource}`));
    for (const quota of this.#quotas.list()) {
      if (namesOf(quota).some((name) => names.has(name))) this.#wake(cacheKey(quota), 0, trigger);
    }
  }

  caches(): readonly Informer<KubeObject>[] {
    return [...this.#counted.caches(), this.#classes];
  }

  async sync(key: string, context: SyncContext): Promise<void> {
    const seen = this.#quotas.get(key);
    if (seen === undefined) {
      this.#waiting.delete(key);
      this.#looks.delete(key);
      this.charged.forget(key);
      return;
    }
    const all = await this.#countAll(seen, context);
    // Counting may have waited for a cache: the quota as it is now.
    const quota = this.#quotas.get(key) ?? seen;
    const charged = this.charged.of(key);
    const used = usedBy(quota, all, { evaluatorOf: this.#evaluatorOf, nowMs: this.#kit.world.clock.now() });
    const counted = quotaStatus(quota, used);
    if (counted === quota.status) return;
    const status = charged === undefined ? counted : quotaStatus(quota, used, charged.amounts);
    if (charged !== undefined) this.#wake(key, charged.forMs, triggerOf('MODIFIED', quota));
    if (status === quota.status) return;
    const client = this.#kit.client.resource(RESOURCE_QUOTAS, quota.metadata.namespace);
    await client.updateStatus({ ...quota, status }, undefined, context);
  }

  async #countAll(quota: ResourceQuota, context: SyncContext): Promise<readonly Counted[]> {
    const key = cacheKey(quota);
    const all: Counted[] = [];
    let looks = 0;
    this.#waiting.delete(key);
    for (const kind of countedKinds(namesOf(quota), this.#evaluatorOf)) {
      const objects = await this.#counted.of(kind, quota.metadata.namespace ?? '', context);
      if (objects === undefined) this.#waiting.add(key);
      else all.push({ kind, objects });
      if (typeof objects === 'object') looks += objects.length;
    }
    this.#looks.set(key, looks);
    return all;
  }

  #follow(kind: CountedKind, namespace: string, { trigger, before, after }: CountedChange): void {
    const nowMs = this.#kit.world.clock.now();
    const evaluatorOf = this.#evaluatorOf;
    const quotas = this.#quotas
      .byIndex(IN_NAMESPACE, namespace)
      .filter((quota) => countedKinds(namesOf(quota), this.#evaluatorOf).some((one) => kindKey(one) === kindKey(kind)));
    if (before !== undefined && after !== undefined) {
      const goes = before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp;
      if (!goes && !countsOtherwise(kind, { before, after, nowMs, evaluatorOf }, quotas)) return;
    }
    for (const quota of quotas) {
      const key = cacheKey(quota);
      this.#wake(key, gatherMs(this.#looks.get(key) ?? 0), trigger);
      const release = after === undefined ? undefined : releaseMs(after, nowMs);
      if (release !== undefined) this.#wake(key, release, trigger);
    }
  }
}

function namesOf({ spec }: ResourceQuota): readonly string[] {
  return Object.keys(spec?.hard ?? {});
}

/** When an object that is going should have gone, ms from now: it counts no more then. Undefined: it stays. */
function releaseMs({ metadata }: KubeObject, nowMs: number): number | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = metadata;
  if (deletionTimestamp === undefined) return undefined;
  return Math.max(0, Date.parse(deletionTimestamp) + deletionGracePeriodSeconds * 1000 + 1000 - nowMs);
}
