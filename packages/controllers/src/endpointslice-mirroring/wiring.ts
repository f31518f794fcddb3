import { exponentialBounds } from '@binnacle/base';
import type { FigureMeasures, NamedFigure, SpreadFigure } from '@binnacle/base';
import { deepEqual, isControlledBy } from '@binnacle/machinery';
import { ENDPOINTS, SERVICES, wellknown } from '@binnacle/api';
import type { Endpoints, Service } from '@binnacle/api/core/v1';
import { cacheKey, referenceTo } from '@binnacle/client';
import type { EventRecorder } from '@binnacle/client';
import { controllerReference, enqueueOn, runController } from '@binnacle/reconcile';
import type { Controller, SyncContext } from '@binnacle/reconcile';
import { recorderFor } from '../controller-kit.ts';
import type { ControllerKit } from '../controller-kit.ts';
import { SliceFigures } from '../slice-figures.ts';
import { planSlices } from '../slice-plan.ts';
import { SliceWriter } from '../slice-writer.ts';
import type { SliceOwner } from '../slice-writer.ts';
import { MIRRORED_MAX, mirroredGroups } from './desired.ts';

const SUBSYSTEM = 'endpoint_slice_mirroring_controller';
const MANAGER = 'endpointslicemirroring-controller.k8s.io';
const LABEL_SKIP = 'endpointslice.kubernetes.io/skip-mirror';
const ANNOTATION_LEADER = 'control-plane.alpha.kubernetes.io/leader';
const NOT_MIRRORED: ReadonlySet<string> = new Set([
  wellknown.ANNOTATION_ENDPOINTS_CHANGE_TIME,
  wellknown.ANNOTATION_LAST_APPLIED,
]);

/** Starts the controller that shows hand-made Endpoints of services without a selector as EndpointSlices too. */
export function runEndpointSliceMirroringController(kit: ControllerKit): Controller {
  const services = kit.informers.need(SERVICES);
  const all = kit.informers.need(ENDPOINTS);
  const slices = new SliceFigures(kit.figures, { subsystem: SUBSYSTEM, tellsUpdated: true });
  const { skips, seconds } = mirrorFigures(kit.figures);
  const writer = new SliceWriter(kit, { manager: MANAGER, figures: slices });
  const events = recorderFor(kit, 'endpoint-slice-mirroring-controller');
  const mirror = async (key: string, context: SyncContext): Promise<void> => {
    const endpoints = all.get(key);
    const wait = writer.waitMs(key);
    if (wait > 0) {
      context.postpone(wait + 1);
      return;
    }
    const existing = writer.slicesOf(key);
    if (endpoints === undefined || !isMirrored(endpoints, services.get(key))) {
      // Also of Endpoints that are gone: their slices answer for the Service until somebody takes them.
      await writer.remove(key, existing, context);
      slices.forget(key);
      return;
    }
    const { groups, skipped, invalid } = mirroredGroups(endpoints);
    skips.observe([], skipped);
    tellSkipped(events, { endpoints, skipped, invalid }, context);
    const owner = ownerOf(endpoints);
    const annotations = owner.annotate({});
    const plan = planSlices({
      groups,
      existing,
      max: MIRRORED_MAX,
      placeholders: [],
      isCurrent: (slice) =>
        isControlledBy(slice, endpoints) &&
        deepEqual(slice.metadata.labels, owner.labels) &&
        deepEqual(slice.metadata.annotations ?? {}, annotations),
    });
    await writer.apply(owner, plan, context);
  };
  const { clock } = kit.world;
  const sync = async (key: string, context: SyncContext): Promise<void> => {
    const since = clock.monotonic();
    try {
      await mirror(key, context);
    } finally {
      seconds.observe([], (clock.monotonic() - since) / 1000);
    }
  };
  const controller = runController({
    name: 'endpointslice-mirroring-controller',
    about: { group: '', resource: 'endpoints' },
    world: kit.world,
    scope: kit.scope,
    caches: [services, all, writer.cache],
    sync,
  });
  kit.scope.defer(enqueueOn(services, controller, (service) => [cacheKey(service)]));
  kit.scope.defer(enqueueOn(all, controller, (endpoints) => [cacheKey(endpoints)]));
  kit.scope.defer(writer.follow(controller));
  return controller;
}

function mirrorFigures(figures: FigureMeasures): { readonly skips: SpreadFigure; readonly seconds: SpreadFigure } {
  const named = (name: string, help: string): NamedFigure => ({ name: `${SUBSYSTEM}_${name}`, help, labels: [] });
  const skips = named('addresses_skipped_per_sync', 'Addresses that a look left out: no addresses, or too many.');
  const seconds = named('endpoints_sync_duration', 'How long a look at Endpoints took, in seconds.');
  return {
    skips: figures.spread(skips, exponentialBounds(2, 2, 15)),
    seconds: figures.spread(seconds, exponentialBounds(0.001, 2, 15)),
  };
}

/** Only what somebody else keeps for a service that has no selector. */
export function isMirrored({ metadata }: Endpoints, service: Service | undefined): boolean {
  if (metadata.labels?.[LABEL_SKIP] === 'true' || metadata.annotations?.[ANNOTATION_LEADER] !== undefined) return false;
  return service !== undefined && Object.keys(service.spec.selector ?? {}).length === 0;
}

function ownerOf(endpoints: Endpoints): SliceOwner {
  const { name = '', labels = {}, annotations = {} } = endpoints.metadata;
  const kept = Object.fromEntries(Object.entries(annotations).filter(([key]) => !NOT_MIRRORED.has(key)));
  return {
    key: cacheKey(endpoints),
    object: endpoints,
    reference: controllerReference(ENDPOINTS, endpoints),
    labels: { ...labels, [wellknown.LABEL_SERVICE_NAME]: name, [wellknown.LABEL_MANAGED_BY]: MANAGER },
    annotate: () => kept,
  };
}

function tellSkipped(
  events: EventRecorder,
  what: { readonly endpoints: Endpoints; readonly skipped: number; readonly invalid: number },
  context: SyncContext,
): void {
  const { skipped, invalid } = what;
  const about = referenceTo(ENDPOINTS, what.endpoints);
  if (invalid > 0) {
    const why = `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`;
    events.event(about, 'Warning', 'InvalidIPAddress', why, context);
  }
  if (skipped <= invalid) return;
  const why = `A max of ${MIRRORED_MAX} addresses can be mirrored to EndpointSlices per Endpoints subset. ${skipped} addresses were skipped`;
  events.event(about, 'Warning', 'TooManyAddressesToMirror', why, context);
}
