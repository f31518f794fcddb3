import { createClaimResize } from './claim-resize.ts';
import * as configuration from './configuration.ts';
import { createEventRateLimit } from './event-rate-limit.ts';
import { createLimitRanger } from './limit-ranger.ts';
import { configurable, OFF, row } from './plugin-row.ts';
import type { PluginRow } from './plugin-row.ts';
import { createResourceQuota } from './quota/resource-quota.ts';

/** The plugins that look at how much of something is used. */
export const USAGE_PLUGINS: readonly PluginRow[] = [
  row('LimitRanger', ({ cache }) => createLimitRanger(cache)),
  configurable(
    'EventRateLimit',
    ({ clock }, document) => createEventRateLimit(clock, configuration.readEventLimits(document)),
    OFF,
  ),
  row('PersistentVolumeClaimResize', ({ cache }) => createClaimResize(cache)),
  configurable('ResourceQuota', (world, document) =>
    createResourceQuota(world, configuration.readLimitedResources(document)),
  ),
];
