import { deepEqual, isControlledBy } from '@binnacle/machinery';
import { SERVICES, wellknown } from '@binnacle/api';
import type { Node, Pod, Service } from '@binnacle/api/core/v1';
import type { EndpointSlice } from '@binnacle/api/discovery/v1';
import { referenceTo } from '@binnacle/client';
import type { EventRecorder } from '@binnacle/client';
import { controllerReference } from '@binnacle/reconcile';
import type { SyncContext } from '@binnacle/reconcile';
import { ChangeTimes } from '../change-times.ts';
import { familiesOf, hasAddress, LABEL_HEADLESS } from '../service-endpoints.ts';
import { planSlices } from '../slice-plan.ts';
import type { SliceWriter } from '../slice-writer.ts';
import { desiredGroups } from './desired.ts';
import type { EndpointSliceFigures } from './figures.ts';
import { hintNews, wantsZoneHints, withZoneHints } from './topology.ts';
import type { HintState } from './topology.ts';

/** Who manages these slices, as their label tells. */
export const MANAGER = 'endpointslice-controller.k8s.io';
/** Upstream's --max-endpoints-per-slice. */
const ENDPOINTS_MAX = 100;
/** Labels of a slice that are not its service's. */
const OWN_LABELS: ReadonlySet<string> = new Set([
  wellknown.LABEL_SERVICE_NAME,
  wellknown.LABEL_MANAGED_BY,
  LABEL_HEADLESS,
]);

/** What the publisher looks into and writes with. */
export interface PublisherParts {
  readonly writer: SliceWriter;
  readonly figures: EndpointSliceFigures;
  readonly events: EventRecorder;
  readonly nodeOf: (name: string) => Node | undefined;
  /** What part of the CPU each zone has, when that is known. */
  readonly shares: () => ReadonlyMap<string, number> | undefined;
}

/** Writes the slices of services, and remembers what it told of each. */
export class SlicePublisher {
  readonly #parts: PublisherParts;
  readonly #times = new ChangeTimes();
  readonly #hints = new Map<string, HintState>();

  constructor(parts: PublisherParts) {
    this.#parts = parts;
  }

  /** The services whose slices depend on the shares. */
  hinted(): Iterable<string> {
    return this.#hints.keys();
  }

  /** Its slices go with a service: they are its own. */
  forget(key: string): void {
    this.#times.forget(key);
    this.#hints.delete(key);
    this.#parts.figures.forget(key);
  }

  /** Brings the slices to what the service and its pods say. */
  async publish(
    at: { readonly service: Service; readonly key: string; readonly pods: readonly Pod[] },
    context: SyncContext,
  ): Promise<void> {
    const { service, key, pods } = at;
    const { writer, figures, nodeOf, shares } = this.#parts;
    const changedAt = this.#times.earliestChange(service, pods);
    const labels = labelsOf(service);
    const existing = writer.slicesOf(key);
    const families = familiesOf(service);
    const desired = desiredGroups(service, pods, nodeOf);
    const { groups, state } = wantsZoneHints(service)
      ? withZoneHints(desired, existing, { families, shares: shares() })
      : { groups: desired, state: undefined };
    const isCurrent = (slice: EndpointSlice): boolean =>
      isControlledBy(slice, service) && deepEqual(slice.metadata.labels, labels);
    const plan = planSlices({ groups, existing, max: ENDPOINTS_MAX, placeholders: families, isCurrent });
    const annotate = (before: { readonly [key: string]: string }): { readonly [key: string]: string } => {
      const { [wellknown.ANNOTATION_ENDPOINTS_CHANGE_TIME]: _last, ...others } = before;
      return changedAt === undefined ? others : { ...others, [wellknown.ANNOTATION_ENDPOINTS_CHANGE_TIME]: changedAt };
    };
    const reference = controllerReference(SERVICES, service);
    figures.distributes(key, service);
    await writer.apply({ key, object: service, reference, labels, annotate }, plan, context);
    figures.published(service, plan);
    this.#tell(at, state, context);
  }

  #tell(
    { service, key }: { readonly service: Service; readonly key: string },
    state: HintState | undefined,
    context: SyncContext,
  ): void {
    for (const { type, reason, message } of hintNews(this.#hints.get(key), state)) {
      this.#parts.events.event(referenceTo(SERVICES, service), type, reason, message, context);
    }
    if (state === undefined) this.#hints.delete(key);
    else this.#hints.set(key, state);
  }
}

/** The service's labels, and those that say whose the slice is. */
function labelsOf(service: Service): NonNullable<EndpointSlice['metadata']['labels']> {
  const own = Object.entries(service.metadata.labels ?? {}).filter(([label]) => !OWN_LABELS.has(label));
  return {
    ...Object.fromEntries(own),
    ...(hasAddress(service.spec) ? {} : { [LABEL_HEADLESS]: '' }),
    [wellknown.LABEL_SERVICE_NAME]: service.metadata.name ?? '',
    [wellknown.LABEL_MANAGED_BY]: MANAGER,
  };
}
