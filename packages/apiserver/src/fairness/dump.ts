import { groupVersion } from '@binnacle/machinery';
import type { FlowControl } from './flow-control.ts';
import type { FlowTicket, PriorityLevel } from './priority-level.ts';

/** Columns are at least so wide, and stand one blank apart, as Go's tabwriter sets them upstream. */
const CELL_MIN = 8;

const LEVEL_COLUMNS = [
  ...['PriorityLevelName', 'ActiveQueues', 'IsIdle', 'IsQuiescing', 'WaitingRequests', 'ExecutingRequests'],
  ...['DispatchedRequests', 'RejectedRequests', 'TimedoutRequests', 'CancelledRequests'],
];
const QUEUE_COLUMNS = [
  ...['PriorityLevelName', 'Index', 'PendingRequests', 'ExecutingRequests', 'SeatsInUse'],
  ...['NextDispatchR', 'InitialSeatsSum', 'MaxSeatsSum', 'TotalWorkSum'],
];
const REQUEST_COLUMNS = [
  ...['PriorityLevelName', 'FlowSchemaName', 'QueueIndex', 'RequestIndexInQueue', 'FlowDistingsher', 'ArriveTime'],
  ...['InitialSeats', 'FinalSeats', 'AdditionalLatency', 'StartTime'],
];
const DETAIL_COLUMNS = ['UserName', 'Verb', 'APIPath', 'Namespace', 'Name', 'APIVersion', 'Resource', 'SubResource'];

/** A row for each priority level. */
export function dumpLevels({ levels }: FlowControl): string {
  const rows = sorted(levels.all).map(({ settings, queues, quiescing }) => {
    const { dispatched, rejected, timedOut, cancelled } = queues.totals;
    const active = queues.queues.filter(({ waiting }) => waiting.size > 0).length;
    const counts = [queues.waiting, queues.executing, dispatched, rejected, timedOut, cancelled];
    return [settings.name, String(active), String(queues.idle), String(quiescing), ...counts.map(String)];
  });
  return table([LEVEL_COLUMNS, ...rows]);
}

/** A row for each queue. */
export function dumpQueues({ levels }: FlowControl): string {
  const rows = sorted(levels.all).flatMap(({ settings, queues }) =>
    queues.queues.map((queue, index) => {
      const { waiting, executing, seatsInUse, waitingInitialSeats, waitingSeats } = queue;
      const counts = [index, waiting.size, executing.size, seatsInUse];
      const { nextDispatchR, waitingWork } = queue;
      return [
        ...[settings.name, ...counts.map(String), seatSeconds(nextDispatchR)],
        ...[String(waitingInitialSeats), String(waitingSeats), seatSeconds(waitingWork)],
      ];
    }),
  );
  return table([QUEUE_COLUMNS, ...rows]);
}

/** A row for each request that waits (with its place in its queue) or runs (place -1). `wallMs`: the time that is. */
export function dumpRequests(
  control: FlowControl,
  { details, wallMs }: { readonly details: boolean; readonly wallMs: number },
): string {
  const offset = wallMs - control.now() * 1000;
  const time = (seconds: number): string => timeText(seconds * 1000 + offset);
  const columns = details ? [...REQUEST_COLUMNS, ...DETAIL_COLUMNS] : REQUEST_COLUMNS;
  const rows = sorted(control.levels.all).flatMap((level) =>
    placesOf(level).map(({ ticket, queue, place }) => {
      const { tag, work, arrivedAt, startedAt, state } = ticket;
      const row = [
        ...[level.settings.name, tag.schema.name, String(queue), String(place), tag.distinguisher, time(arrivedAt)],
        ...[String(work.initialSeats), String(work.finalSeats), durationText(work.lingerSeconds)],
        state === 'waiting' ? '0001-01-01T00:00:00Z' : time(startedAt),
      ];
      return details ? [...row, ...detailsOf(ticket)] : row;
    }),
  );
  return table([columns, ...rows]);
}

interface Place {
  readonly ticket: FlowTicket;
  readonly queue: number;
  readonly place: number;
}

function placesOf({ queues }: PriorityLevel): Place[] {
  const places = queues.queues.flatMap((each, queue) => [
    ...[...each.waiting].map((ticket, place) => ({ ticket, queue, place })),
    ...[...each.executing].map((ticket) => ({ ticket, queue, place: -1 })),
  ]);
  return [...places, ...[...queues.queueless].map((ticket) => ({ ticket, queue: -1, place: -1 }))];
}

function detailsOf({ tag }: FlowTicket): string[] {
  const { user, info } = tag;
  const { verb, path, namespace, name, resource, subresource } = info;
  return [user.name, verb, path, namespace, name, info.isResource ? groupVersion(info) : '', resource, subresource];
}

function sorted(levels: ReadonlyMap<string, PriorityLevel>): PriorityLevel[] {
  return [...levels.values()].sort((a, b) => (a.settings.name < b.settings.name ? -1 : 1));
}

/** As Go writes it: a fraction only where there is one. */
function timeText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.?0+Z$/, 'Z');
}

/** As Go writes it: in the largest unit of which there is a whole one. */
function durationText(seconds: number): string {
  if (seconds === 0 || seconds >= 1) return `${seconds}s`;
  return `${Math.round(seconds * 1e6) / 1e3}ms`;
}

function seatSeconds(value: number): string {
  return `${value.toFixed(8)}ss`;
}

/** Cells end in a comma, all but the last of a row; columns are as wide as their widest cell. */
function table(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell, i) => (i === row.length - 1 ? cell : `${cell},`)));
  const widths: number[] = [];
  for (const row of cells) {
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? CELL_MIN, cell.length + 1);
  }
  const lines = cells.map((row) =>
    row.map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i] ?? 0))).join(''),
  );
  return `${lines.join('\n')}\n`;
}
