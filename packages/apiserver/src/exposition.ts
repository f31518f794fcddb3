import type { Store } from '@binnacle/store';
import type { Auditor } from './audit/auditor.ts';
import type { Feed } from './cache/feed.ts';
import type { Catalogue } from './catalogue/catalogue.ts';
import { resourceName } from './catalogue/definition.ts';
import type { StoredResource } from './catalogue/definition.ts';
import type { FlowControl } from './fairness/flow-control.ts';
import { renderFlowMetrics } from './fairness/flow-metrics.ts';
import type { Metrics } from './observe/metrics.ts';

/** One line of Prometheus' text form: the name may carry labels in braces. */
export type Row = readonly [name: string, type: string, value: number];

/** Whoever has something to tell in `/metrics`. */
export interface MeasuredWorld {
  readonly catalogue: Catalogue;
  readonly feed: Pick<Feed, 'revision'>;
  readonly metrics: Metrics;
  readonly control: FlowControl;
  readonly auditor: Auditor | undefined;
  readonly store: Pick<Store, 'status'>;
  /** The process's own figures. */
  readonly processMetrics: () => readonly Row[];
}

/** All that the server knows of itself, in Prometheus' text form. `first`: what does not change. */
export async function exposition(world: MeasuredWorld, first: readonly Row[]): Promise<string> {
  const { catalogue, feed, metrics, control, processMetrics, store } = world;
  const { dbSize } = await store.status();
  const rows: Row[] = [
    ...first,
    ['apiserver_storage_size_bytes{storage_cluster_id="etcd-0"}', 'gauge', dbSize],
    ['apiserver_current_inflight_requests{request_kind="readOnly"}', 'gauge', control.executing.reading],
    ['apiserver_current_inflight_requests{request_kind="mutating"}', 'gauge', control.executing.mutating],
    ['apiserver_current_inqueue_requests{request_kind="readOnly"}', 'gauge', control.waiting.reading],
    ['apiserver_current_inqueue_requests{request_kind="mutating"}', 'gauge', control.waiting.mutating],
  ];
  for (const stored of catalogue.all()) if (stored.cache.ready) rows.push(...rowsOf(stored, feed.revision));
  // Rows of one name stand together.
  rows.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const more = renderFlowMetrics(control);
  world.auditor?.render(more);
  return `${metrics.render([...rows, ...processMetrics()])}${more.join('\n')}\n`;
}

function rowsOf({ info, cache }: StoredResource, revision: number): Row[] {
  const name = resourceName(info);
  const labels = `{group="${info.group}",resource="${info.resource}"}`;
  const { size, bytes, received, readings, capacity, subscribers, listed, counts } = cache;
  return [
    // Upstream has the older name beside the newer one.
    [`apiserver_storage_objects{resource="${name}"}`, 'gauge', size],
    [`apiserver_resource_objects${labels}`, 'gauge', size],
    [`apiserver_resource_size_estimate_bytes${labels}`, 'gauge', bytes],
    [`apiserver_storage_events_received_total${labels}`, 'counter', received],
    [`apiserver_watch_cache_events_received_total${labels}`, 'counter', received],
    [`apiserver_watch_cache_events_dispatched_total${labels}`, 'counter', received],
    [`apiserver_watch_cache_initializations_total${labels}`, 'counter', readings],
    [`apiserver_watch_cache_resource_version${labels}`, 'gauge', revision],
    [`watch_cache_capacity${labels}`, 'gauge', capacity],
    // The store is asked for all of a resource, and for nothing else that upstream counts here; each object is looked at.
    [`apiserver_storage_list_total${labels}`, 'counter', readings],
    [`apiserver_storage_list_fetched_objects_total${labels}`, 'counter', counts.fetched],
    [`apiserver_storage_list_evaluated_objects_total${labels}`, 'counter', counts.fetched],
    [`apiserver_storage_list_returned_objects_total${labels}`, 'counter', counts.taken],
    ...(counts.initial === 0 ? [] : [[`apiserver_init_events_total${labels}`, 'counter', counts.initial] as const]),
    ...(counts.cutOff === 0
      ? []
      : [[`apiserver_terminated_watchers_total${labels}`, 'counter', counts.cutOff] as const]),
    ...(listed.lists === 0 ? [] : listRows(info, listed)),
    ...(subscribers.count === 0
      ? []
      : [[`apiserver_registered_watchers{resource="${name}"}`, 'gauge', subscribers.count] as const]),
  ];
}

/** Upstream tells lists by the index that found the objects; here every list is one. */
function listRows(
  { group, resource }: StoredResource['info'],
  { lists, fetched, returned }: StoredResource['cache']['listed'],
): Row[] {
  const byIndex = `{group="${group}",index="",resource="${resource}"}`;
  return [
    [`apiserver_cache_list_total${byIndex}`, 'counter', lists],
    [`apiserver_cache_list_fetched_objects_total${byIndex}`, 'counter', fetched],
    [`apiserver_cache_list_returned_objects_total{group="${group}",resource="${resource}"}`, 'counter', returned],
  ];
}
