import { toCoreEvent } from '@binnacle/api';
import type { Event } from '@binnacle/api/core/v1';
import type { Event as GroupEvent } from '@binnacle/api/events/v1';
import type { TablePrinter } from '../../../ports/columns.ts';
import { integer, nameOf, printer, since, text, wide } from '../../../render/columns.ts';
import type { Cell } from '../../../render/columns.ts';

export const eventPrinter: TablePrinter = printer<Event>(
  [
    text('Last Seen', 'How long ago it happened last.'),
    text('Type', 'Normal or Warning.'),
    text('Reason', 'What happened, in one word for programs.'),
    text('Object', 'What it happened to.'),
    wide(text('Subobject', 'Which part of the object.')),
    wide(text('Source', 'Who reports it, and where.')),
    text('Message', 'What happened, for people.'),
    wide(text('First Seen', 'How long ago it happened first.')),
    wide(integer('Count', 'How often it happened.')),
    wide({ ...text('Name', 'Name of the event.'), format: 'name' }),
  ],
  eventRow,
);

/** The same table for `events.k8s.io`. */
export const groupEventPrinter: TablePrinter = printer<GroupEvent>(eventPrinter.columns, (event, now) =>
  eventRow(toCoreEvent(event), now),
);

function eventRow(event: Event, now: number): readonly Cell[] {
  const { involvedObject: about, series } = event;
  const first = since(event.firstTimestamp || event.eventTime, now);
  const last = event.lastTimestamp ? since(event.lastTimestamp, now) : first;
  const kind = (about.kind ?? '').toLowerCase();
  return [
    series ? since(series.lastObservedTime, now) : last,
    event.type ?? '',
    event.reason ?? '',
    about.name ? `${kind}/${about.name}` : kind,
    about.fieldPath ?? '',
    sourceText(event),
    (event.message ?? '').trim(),
    first,
    series?.count ?? (event.count || 1),
    nameOf(event),
  ];
}

function sourceText({ source, reportingComponent, reportingInstance }: Event): string {
  const component = source?.component || reportingComponent;
  const host = source?.host || reportingInstance;
  return host ? `${component}, ${host}` : component;
}
